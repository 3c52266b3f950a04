(()=>{var bytesOf=text=>Uint8Array.from(atob(text),character=>character.charCodeAt(0));var RARE=[0,10,13,34,38,60,92],BEYOND=160;function bytesOfSeptets(text,length){let bytes=new Uint8Array(length),[at,held,bits]=[0,
0,0];for(let index=0;index<text.length;index++){let letter=text.charCodeAt(index);letter>=BEYOND&&(held=held<<7|RARE[letter-BEYOND>>
7],bits+=7,bits>=8&&(bytes[at++]=held>>(bits-=8)),letter=letter-BEYOND&127),held=held<<7|letter,bits+=7,bits>=8&&(bytes[at++]=held>>
(bits-=8))}return bytes}var Cargo=class{constructor(){this.about=JSON.parse(document.getElementById("about").textContent),this.had=new Map}get(name){return this.
had.has(name)||this.had.set(name,this.fetch(name)),this.had.get(name)}async fetch(name){let inside=document.querySelector(`script[\
data-blob="${name}"]`),packed=inside?inlined(inside):await this.sent(`data/${name}.bin`),unpacked=new Blob([packed]).stream().pipeThrough(
new DecompressionStream("gzip"));return inOrder(new Uint8Array(await new Response(unpacked).arrayBuffer()))}async sent(path){let answer=await fetch(
path);if(!answer.ok)throw new Error(`${path}: ${answer.status}`);return new Uint8Array(await answer.arrayBuffer())}},inlined=({type,
textContent,dataset})=>type==="text/base64"?bytesOf(textContent):bytesOfSeptets(textContent,Number(dataset.bytes));function inOrder(bytes){
if(bytes[0]===1)return bytes.slice(1);let ordered=new Uint8Array(bytes.length-1),seconds=Math.ceil(ordered.length/2)+1;for(let at=0;at<
ordered.length;at++)ordered[at]=bytes[at&1?seconds+(at>>1):1+(at>>1)];return ordered}function dark(){let wanted=matchMedia("(prefers-color-scheme: dark)"),apply=()=>document.body.classList.toggle("dark",wanted.matches);
wanted.addEventListener("change",apply),apply()}function withHeader(packed,said){if(!Object.keys(said).length)return packed;let length=new DataView(packed.buffer,packed.byteOffset).
getUint32(4,!0),header=JSON.parse(new TextDecoder().decode(packed.subarray(8,8+length))),text=new TextEncoder().encode(JSON.stringify(
{...header,...said})),whole=Math.ceil(text.length/8)*8,made=new Uint8Array(8+whole+packed.length-8-length).fill(32,8,8+whole);return made.
set(packed.subarray(0,4)),new DataView(made.buffer).setUint32(4,whole,!0),made.set(text,8),made.set(packed.subarray(8+length),8+whole),
made}var KEPT="vizapp-language";function chosen(known){let asked=new URLSearchParams(location.search).get("lang"),names=Object.keys(known);
if(names.length===1)return names[0];if(names.includes(asked))return keep(asked),asked;let last=kept();if(names.includes(last))return last;
for(let tag of navigator.languages??[]){let found=names.find(name=>tag===known[name].tag||tag.split("-")[0]===known[name].tag.split(
"-")[0]);if(found)return found}return names[0]}function kept(){try{return localStorage.getItem(KEPT)}catch{return null}}function keep(name){try{localStorage.setItem(KEPT,name)}catch{}}begin();async function begin(){let cargo=new Cargo,about=cargo.about,text=async name=>new TextDecoder().decode(await cargo.get(name)),
[style,viewer,said,payload]=await Promise.all([text(about.style),text(about.viewer),text(about.said),cargo.get(about.payload)]);document.
head.append(Object.assign(document.createElement("style"),{textContent:style})),document.head.append(Object.assign(document.createElement(
"script"),{textContent:viewer})),dark();let{languages,colours}=JSON.parse(said),language=chosen(languages),words=languages[language];
document.documentElement.lang=words.tag;let root=document.querySelector(".viz");root.viewer=globalThis.vizapp.mount(root,{words:words.
viewer,colours,metrics:words.metrics,ask:async([kind])=>["maps","proof"].includes(kind)?{}:kind==="saving"?{about:about.about}:{why:words.
why},makes:[]}),await root.viewer.showHere(withHeader(payload,about.headers[language]??{}),"cell"),new ResizeObserver(tell).observe(
document.body)}function tell(){parent.postMessage({vizapp:"height",height:Math.ceil(document.body.getBoundingClientRect().height)},
"*")}})();
