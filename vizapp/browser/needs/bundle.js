(()=>{var KEPT="vizapp-language";function chosen(known){var _a;let asked=new URLSearchParams(location.search).get("lang"),names=Object.keys(
known);if(names.length===1)return names[0];if(names.includes(asked))return keep(asked),asked;let last=kept();if(names.includes(last))
return last;for(let tag of(_a=navigator.languages)!=null?_a:[]){let found=names.find(name=>tag===known[name].tag||tag.split("-")[0]===
known[name].tag.split("-")[0]);if(found)return found}return names[0]}function kept(){try{return localStorage.getItem(KEPT)}catch(e){return null}}function keep(name){try{localStorage.setItem(KEPT,name)}catch(e){}}var NEEDED=["DecompressionStream","createImageBitmap"],COMMAND="python -m http.server",{opensFromDisk,languages}=JSON.parse(document.
getElementById("needs").textContent),words=languages[chosen(languages)],lacking=NEEDED.filter(name=>!(name in window));lacking.length?
refuse(words.browser.replace("{names}",lacking.join(", "))):!opensFromDisk&&location.protocol==="file:"?refuse(words.server.replace(
"{command}",COMMAND)):run(document.getElementById("app"));function refuse(textContent){document.documentElement.lang=words.tag,document.
body.append(Object.assign(document.createElement("p"),{className:"needs",textContent}))}function run({src,textContent}){document.body.
append(Object.assign(document.createElement("script"),src?{src}:{textContent}))}})();
