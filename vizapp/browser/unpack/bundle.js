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
ordered.length;at++)ordered[at]=bytes[at&1?seconds+(at>>1):1+(at>>1)];return ordered}begin();async function begin(){let cargo=new Cargo,text=async name=>new TextDecoder().decode(await cargo.get(name)),[about,textContent]=await Promise.
all([cargo.about.about,cargo.about.app].map(text));document.getElementById("about").textContent=about,document.body.append(Object.
assign(document.createElement("script"),{textContent}))}})();
