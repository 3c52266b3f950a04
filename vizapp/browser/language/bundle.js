(()=>{var KEPT="vizapp-language";function kept(){try{return localStorage.getItem(KEPT)}catch{return null}}function keep(name){try{localStorage.setItem(KEPT,name)}catch{}}var[here,...others]=document.currentScript.dataset.languages.split(" "),query=new URLSearchParams(location.search),told=query.get(
"lang");told===here?location.hash||keep(here):others.includes(kept())&&(query.set("lang",kept()),location.replace(`${location.pathname}\
?${query}${location.hash}`));})();
