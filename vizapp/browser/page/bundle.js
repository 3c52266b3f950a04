(()=>{function explain(root){let box=document.querySelector("#term-said")??document.createElement("div");box.id="term-said",box.popover=
"manual",box.role="tooltip",document.body.append(box);let shown=null,timer=0,termOf=event=>event.target instanceof Element?event.target.
closest("[data-term]"):null;function show(term){if(clearTimeout(timer),shown===term)return;hide();let told3=term.dataset.term.split(
" ").flatMap(word=>[...root.querySelectorAll(`[data-word="${word}"]`)]);if(!told3.length)return;box.replaceChildren(...told3.map(one=>Object.
assign(document.createElement("p"),{innerHTML:one.innerHTML}))),shown=term,term.setAttribute("aria-describedby",box.id),box.showPopover();
let{left,top,bottom}=term.getBoundingClientRect(),above=top-6-box.offsetHeight>0;box.style.left=`${Math.max(8,Math.min(left,innerWidth-
box.offsetWidth-8))}px`,box.style.top=`${above?top-6-box.offsetHeight:bottom+6}px`}function hide(){clearTimeout(timer),shown?.removeAttribute(
"aria-describedby"),shown&&box.hidePopover(),shown=null}function later(what){clearTimeout(timer),timer=setTimeout(what,200)}document.
addEventListener("pointerover",event=>{if(event.pointerType==="touch")return;let term=termOf(event);term&&term!==shown?later(()=>show(
term)):term||box.contains(event.target)?clearTimeout(timer):shown&&shown!==document.activeElement?later(hide):shown||clearTimeout(
timer)}),document.addEventListener("focusin",event=>{let term=termOf(event);term?.matches(":focus-visible")?show(term):term||hide()}),
document.addEventListener("click",event=>{let term=termOf(event);term?(event.preventDefault(),show(term)):shown&&!box.contains(event.
target)&&hide()}),document.addEventListener("keydown",event=>{event.key==="Escape"&&shown?(event.stopPropagation(),hide()):(event.
key==="Enter"||event.key===" ")&&termOf(event)&&(event.preventDefault(),event.stopPropagation(),show(termOf(event)))},!0),document.
addEventListener("scroll",({target:target2})=>target2!==box&&hide(),!0);let help=root.querySelector("details"),concepts=root.querySelector(
"dialog"),told2=help.lastElementChild;help.addEventListener("toggle",()=>{if(told2.style.translate="",!help.open)return;let{left,right,
top}=told2.getBoundingClientRect();told2.style.translate=`${Math.max(0,8-left)+Math.min(0,innerWidth-8-right)}px`,told2.style.maxHeight=
`${Math.max(200,innerHeight-8-Math.max(0,top))}px`}),help.addEventListener("keydown",event=>{event.key!=="Escape"||!help.open||(help.
open=!1,help.firstElementChild.focus())}),document.addEventListener("pointerdown",({target:target2})=>{!help.contains(target2)&&!concepts.
contains(target2)&&(help.open=!1)}),root.querySelector("[data-opens]").addEventListener("click",()=>concepts.showModal()),concepts.
addEventListener("click",({target:target2})=>{(target2===concepts||target2.matches("[data-closes]"))&&concepts.close()})}var PAGE_KEYS=["v","picture","page","model","fit","edits","tab"];function parse(hash){let page={},state=[],parts=hash.replace(/^#/,"").split("&");for(let part of parts.filter(Boolean)){let key=part.
split("=",1)[0];PAGE_KEYS.includes(key)?page[key]=new URLSearchParams(part.replaceAll("+","%2B")).get(key):state.push(part)}return hash.
includes("=")?{page,state:state.join("&")}:null}function write(page,state){return`#${[...PAGE_KEYS.filter(key=>page[key]).map(key=>`${key}\
=${encodeURIComponent(page[key])}`),...state?[state]:[]].join("&").replace(/%(?:2C|2F|3A|3F|40)/g,decodeURIComponent)}`}var written=({
picture="",page="",model="",fit="",edits=""})=>write({picture,page,model,fit,edits},""),same=(one,other)=>written(one)===written(other);
function framed(link,title){let address=new URL(link);address.searchParams.set("embed","1");let[src,name2]=[address.href,title].map(
one=>one.replaceAll("&","&amp;").replaceAll('"',"&quot;"));return`<iframe src="${src}" width="480" height="560" style="border: 0" \
title="${name2}"></iframe>`}function direct({origin,pathname},hash,language){return`${origin}${pathname}${language?`?lang=${encodeURIComponent(
language)}`:""}${hash}`}var COPIES=".copy-link, .copy-frame",FOR=2500;async function copy(button,link,isUpload,words){await copied(button.matches(".copy-f\
rame")?framed(link,document.title):link,words.by_hand);let label=button.dataset.words??=button.textContent;button.textContent=words[isUpload?
"copied_upload":"copied"],setTimeout(()=>button.textContent=label,FOR)}async function copied(text,byHand){try{await navigator.clipboard.
writeText(text)}catch{let field=Object.assign(document.createElement("textarea"),{value:text,readOnly:!0});document.body.append(field),
field.select();let isDone=document.execCommand("copy");field.remove(),isDone||prompt(byHand,text)}}var bytesOf=text=>Uint8Array.from(atob(text),character=>character.charCodeAt(0));function textOf({buffer,byteOffset,byteLength}){let bytes=new Uint8Array(
buffer,byteOffset,byteLength),text="";for(let i=0;i<bytes.length;i+=4096)text+=String.fromCharCode(...bytes.subarray(i,i+4096));return btoa(
text)}var RARE=[0,10,13,34,38,60,92],BEYOND=160;function bytesOfSeptets(text,length){let bytes=new Uint8Array(length),[at,held,bits]=[0,
0,0];for(let index2=0;index2<text.length;index2++){let letter=text.charCodeAt(index2);letter>=BEYOND&&(held=held<<7|RARE[letter-BEYOND>>
7],bits+=7,bits>=8&&(bytes[at++]=held>>(bits-=8)),letter=letter-BEYOND&127),held=held<<7|letter,bits+=7,bits>=8&&(bytes[at++]=held>>
(bits-=8))}return bytes}var Cargo=class{constructor(){this.about=JSON.parse(document.getElementById("about").textContent),this.had=new Map}get(name2){return this.
had.has(name2)||this.had.set(name2,this.fetch(name2)),this.had.get(name2)}async fetch(name2){let inside=document.querySelector(`sc\
ript[data-blob="${name2}"]`),packed=inside?inlined(inside):await this.sent(`data/${name2}.bin`),unpacked=new Blob([packed]).stream().
pipeThrough(new DecompressionStream("gzip"));return inOrder(new Uint8Array(await new Response(unpacked).arrayBuffer()))}async sent(path){
let answer=await fetch(path);if(!answer.ok)throw new Error(`${path}: ${answer.status}`);return new Uint8Array(await answer.arrayBuffer())}},
inlined=({type,textContent,dataset})=>type==="text/base64"?bytesOf(textContent):bytesOfSeptets(textContent,Number(dataset.bytes));
function inOrder(bytes){if(bytes[0]===1)return bytes.slice(1);let ordered=new Uint8Array(bytes.length-1),seconds=Math.ceil(ordered.
length/2)+1;for(let at=0;at<ordered.length;at++)ordered[at]=bytes[at&1?seconds+(at>>1):1+(at>>1)];return ordered}function closing(box){box.addEventListener("keydown",event=>{box.open&&(event.stopPropagation(),event.key==="Escape"&&(box.open=!1,
box.firstElementChild.focus()))}),document.addEventListener("pointerdown",({target:target2})=>{box.contains(target2)||(box.open=!1)})}var shortModel=name2=>name2.replace(/^timm:/,"").replace(/^file:(?:[^?]*[\\/])?([^?]*).*$/,"$1");function slug(text){return text.replace(
/[^\p{L}\p{N}_.-]+/gu,"-").replace(/^[-.]+|[-.]+$/g,"").slice(0,60)}var modelName=model=>slug(model.startsWith("file:")?shortModel(
model):model),pictureName=picture=>slug(picture.replace(/^[a-z]+\//,"").replace(/\.\w{1,5}$/,"")),joined=parts=>parts.filter(Boolean).
join("-");var FUSIONS=["mean","max","min"],DIRECTIONS=["from","to"],CHAINS=["attention","rollout"],SCALES=["map","layer","all","fixed"];var TOOLS=["box","brush","eraser"],FITS=["crop","pad","squash"];var AS_TRAINED="as_trained";var STATE_VERSION=1;var OPACITY=.8;var SKIP_WEIGHT=.5;var MOST_THINGS=5,MOST_MARKS=9,THING_LETTERS=40;var ORDERS=19,ORDERS_AT_ONCE=5,CHANCE_LEVEL=.05;var TIMM="timm:",RECENT="vizapp-models",MOST=4;function chip(root,desk){let{about,words}=desk;root.innerHTML=`
    <details id="model-chip"><summary><b><bdi></bdi></b></summary><div>
      <label class="model"><span></span>${desk.source.networks?'<input list="networks" autocomplete="off" spellcheck="false">':"<s\
elect></select>"}</label>
      <p class="recent" hidden></p>
      <p class="own-weights" hidden><input type="file" accept=".safetensors" hidden><button type="button"></button></p>
      <label class="fit"><span></span><select></select></label>
    </div></details>`;let find=css=>root.querySelector(css),box=find("details");closing(box),find("summary").title=words.page.model_chip,
find(".model span").textContent=words.page.model,find(".fit span").textContent=words.page.fit,find(".fit").title=words.page.fit_help;
let title=name2=>desk.modelOf(name2)?.titles[desk.language]??name2,model=find(".model :is(select, input)"),draw=desk.source.networks?
recent(find(".recent"),words,name2=>chosen2({model:name2})):()=>{};desk.source.networks?searched(model,desk):model.append(...about.
models.map(({name:name2})=>new Option(title(name2),name2)));let fit=find(".fit select");fit.append(...[AS_TRAINED,...FITS].map(one=>new Option(
words.page[`fit_${one}`],one))),find(".fit").hidden=!desk.isLive;let chosen2=part=>{box.open=!1,desk.look(part)};return model.addEventListener(
"change",()=>model.value&&chosen2({model:model.value})),fit.addEventListener("change",()=>chosen2({fit:fit.value})),desk.source.weights&&
weights(find(".own-weights"),desk),desk.complete=(name2,asks)=>{box.open=!0,desk.said(asks),model.focus(),model.value=name2,model.
dispatchEvent(new Event("input")),model.setSelectionRange(name2.length,name2.length),model.scrollLeft=model.scrollWidth},choice=>{
draw(choice.model),find("bdi").textContent=shortModel(title(choice.model)),model.value=choice.model,fit.value=choice.fit;for(let option of model.
options??[])option.disabled=!desk.source.can(option.value,choice.picture),option.textContent=option.disabled?words.export.modelElsewhere.
replace("{name}",title(option.value)):title(option.value)}}function searched(field,desk){let list=Object.assign(document.createElement(
"datalist"),{id:"networks"});field.after(list);let known3=[],offer3=()=>{let[start]=/^.*\?arch=/.exec(field.value)??[""],some=start?
known3.filter(([,name2])=>name2.startsWith(TIMM)):known3,option=([label,name2])=>Object.assign(document.createElement("option"),{value:start?
start+name2.slice(TIMM.length):name2,label});(list.dataset.start!==start||!list.options.length)&&list.replaceChildren(...some.map(
option)),list.dataset.start=start};field.addEventListener("input",offer3),field.addEventListener("focus",async()=>{field.select(),
!list.dataset.asked&&(list.dataset.asked="yes",known3=await desk.source.networks(),offer3())})}function weights(root,desk){let[field,
button]=root.children;root.hidden=!1,button.textContent=desk.words.page.weights,button.addEventListener("click",()=>field.click()),
field.addEventListener("change",()=>{field.files[0]&&desk.weights(field.files[0]),field.value=""})}function recent(root,words,choose){
return now=>{let before=recalled();if(now.includes(":")||now.startsWith("photos"))try{localStorage.setItem(RECENT,JSON.stringify([
now,...before.filter(one=>one!==now)].slice(0,MOST)))}catch{}let others=before.filter(one=>one!==now),button=name2=>Object.assign(
document.createElement("button"),{type:"button",textContent:shortModel(name2),title:name2,onclick:()=>choose(name2)});root.replaceChildren(
`${words.page.recent} `,...others.map(button)),root.hidden=!others.length}}function recalled(){try{return JSON.parse(localStorage.
getItem(RECENT)??"[]").filter(one=>typeof one=="string")}catch{return[]}}function dark(){let wanted=matchMedia("(prefers-color-scheme: dark)"),apply=()=>document.body.classList.toggle("dark",wanted.matches);
wanted.addEventListener("change",apply),apply()}var isIn=(low,high)=>value=>typeof value=="number"&&value>=low&&value<=high,oneOf=(initial,names)=>({initial,values:names,fits:value=>names.
includes(value),write:value=>value??"",read:text=>text||null}),name=initial=>({initial,fits:value=>value===null?initial===null:typeof value==
"string"&&/^[^\p{C}<>&]{1,64}$/u.test(value),write:value=>value??"",read:text=>text||null}),number=(initial,low,high)=>({initial,fits:isIn(
low,high),write:String,read:text=>text.trim()?Number(text):null}),index=(initial,most=1e6)=>({initial,fits:value=>value===null?initial===
null:Number.isInteger(value)&&isIn(0,most)(value),write:value=>value===null?"":String(value),read:text=>text.trim()?Number(text):null}),
flag=initial=>({initial,values:[!1,!0],fits:value=>typeof value=="boolean",write:value=>value?"1":"0",read:text=>({1:!0,0:!1})[text]}),
place=()=>({initial:null,fits:value=>value===null||Array.isArray(value)&&value.length===2&&value.every(isIn(-9,9)),write:value=>value?
value.join(","):"",read:text=>text?text.split(",").map(share2=>share2.trim()?Number(share2):NaN):null}),json=(initial,fits)=>({initial,
fits,write:JSON.stringify,read:JSON.parse}),passing=key=>({...key,passes:!0}),moving=key=>({...key,moves:!0});var MOST_SHAPES=500,isPoint=point=>Array.isArray(point)&&point.length===2&&point.every(Number.isFinite),isLine=points=>Array.isArray(
points)&&points.length>0&&points.every(isPoint),isShape=shape=>Array.isArray(shape?.box)?shape.box.length===4&&shape.box.every(Number.
isFinite):isLine(shape?.stroke??shape?.erase)&&isPoint(shape.radius),areShapes=shapes=>Array.isArray(shapes)&&shapes.length<=MOST_SHAPES&&
shapes.every(isShape),areGuesses=places=>places===null||Array.isArray(places)&&places.length<=MOST_MARKS&&places.every(isPoint),isThing=thing=>typeof thing?.
name=="string"&&thing.name.length<=THING_LETTERS&&thing.at!==null&&areGuesses(thing.at),areThings=things=>Array.isArray(things)&&things.
length<=MOST_THINGS&&things.every(isThing),KEYS={place:place(),token:name(null),pinned:flag(!1),hover:moving(passing(place())),layer:index(
null),head:index(0),fusion:oneOf("mean",["one",...FUSIONS]),method:oneOf("attention",CHAINS),skipWeight:number(SKIP_WEIGHT,0,1),direction:oneOf(
"from",DIRECTIONS),crossBlock:index(null),crossQuery:index(0),peek:moving(passing(json(null,value=>value===null||isPoint(value)))),
atlas:flag(!1),score:flag(!1),question:flag(!1),steps:flag(!1),number:place(),teach:flag(!1),things:json([],areThings),thing:passing(
index(0)),labelled:passing(flag(!0)),taught:passing(json(null,taught=>taught===null||Array.isArray(taught?.labels))),chapter:name(
null),guess:passing(json(null,areGuesses)),marked:passing(json([],areGuesses)),scale:oneOf("map",SCALES),fixed:number(.05,0,1),colours:name(
"viridis"),opacity:number(OPACITY,0,1),byValue:flag(!0),smooth:flag(!1),grid:flag(!0),metric:name("energy"),outline:flag(!0),hand:moving(
passing(json(null,hand=>hand===null||isPoint(hand?.at)&&(!hand.from||isPoint(hand.from))))),tool:passing(oneOf(null,[null,...TOOLS])),
shapes:moving(json([],areShapes)),past:moving(passing(json([],past=>Array.isArray(past)&&past.every(areShapes)))),sinks:flag(!0),sinksApart:flag(
!1),sinksFound:passing(json({},found=>typeof found=="object"&&found!==null))},OF_FRAME={guess:null,marked:[],tool:null,hand:null,shapes:[],
past:[]},OF_PICTURE={place:null,token:null,pinned:!1,hover:null,number:null,direction:"from",question:!0,...OF_FRAME};var KEY="vizapp-picture",MOST_BYTES=3e6,MOST2=5,inTab={async all(){try{let{id,name:name2,type,text}=JSON.parse(sessionStorage.getItem(
KEY)??"null");return id?[{id,name:name2,blob:new Blob([bytesOf(text)],{type})}]:[]}catch{return[]}},async keep({id,name:name2,blob}){
if(await inTab.clear(),blob.size>MOST_BYTES)return;let text=textOf(new Uint8Array(await blob.arrayBuffer()));try{sessionStorage.setItem(
KEY,JSON.stringify({id,name:name2,type:blob.type,text}))}catch{}},async clear(){try{sessionStorage.removeItem(KEY)}catch{}},help:words=>words.
export.forgetHelp};var Refused=class extends Error{};var UPLOAD="upload/",PAUSE=350,PAGE=/^[1-9]\d{0,5}$/,SLOW=500,Desk=class{constructor(cargo,language,source){let{about}=cargo;this.
cargo=cargo,this.about=about,this.language=language,this.words=about.languages[language],this.source=source,this.pictures=new Map(
about.pictures.map(one=>[one.name,one])),this.brought=[],this.recalled=source.keeper.all().then(all=>{for(let{id,blob,name:name2}of all)
this.own(UPLOAD+id,blob,name2);this.brought.push(...all.map(({id})=>UPLOAD+id))}),this.shown=null,this.wanted=null,this.viewer=null,
this.timer=0,this.said=(_said,_act=null)=>{},this.offered=_offer=>{},this.complete=(_name,_asks)=>{},this.changed=_choice=>{},addEventListener(
"popstate",()=>this.open(location.hash)),addEventListener("pagehide",()=>this.write())}attend(viewer){this.viewer=viewer,viewer.state.
subscribe(()=>this.later())}async begin(){let{start}=this.about;return parse(location.hash)?.page.picture?.startsWith(UPLOAD)&&await this.
recalled,parse(location.hash)?this.open(location.hash):this.look({...start,page:"",fit:AS_TRAINED})}open(link){let found=parse(link);
if(!found)return null;let{v="",model="",page="",fit=AS_TRAINED,edits,tab}=found.page,picture=this.onBoard(found.page.picture??""),
{start}=this.about,has={picture:this.pictures.has(picture),model:this.about.models.some(({name:name2})=>name2===model)},isFit=[AS_TRAINED,
...FITS].includes(fit),isPage=!page||PAGE.test(page),choice={picture:has.picture?picture:start.picture,page:has.picture&&isPage&&page!==
"1"?page:"",model:has.model?model:start.model,fit:isFit?fit:AS_TRAINED},isAnother=!!(picture&&!has.picture),isAsked=model&&!has.model&&
this.source.networks,isPartly=isAnother||model&&!has.model&&!isAsked,strange=Object.entries({v:v&&!/^\d{1,8}$/.test(v),fit:!isFit,
page:!isPage,edits,tab}).flatMap(([key,is])=>is?[key]:[]),says=[Number(v)>STATE_VERSION?this.words.link.newer:"",isPartly?this.words.
export.notOnBoard:""],act={said:this.words.link.yes,go:()=>this.look({model},{state:found.state})};isAsked&&says.push(this.words.link.
asks.replace("{name}",()=>model));let how={state:found.state,isAnother,says:this.viewer.words.told(says),strange};return this.look(
choice,isAsked?{...how,act}:how)}onBoard(name2){let[,lesson,number2]=/^(lesson\/[a-z]+\/)(\d+)$/.exec(name2)??[];if(!lesson||this.
pictures.has(name2))return name2;let here=[...this.pictures.keys()].filter(one=>one.startsWith(lesson)&&!one.endsWith("/bare")),numbers=here.
map(one=>Number(one.slice(lesson.length))).sort((a,b)=>a-b);if(!numbers.length)return name2;let now=this.shown?.picture.startsWith(
lesson)?Number.parseInt(this.shown.picture.slice(lesson.length)):NaN,{of}=this.pictures.get(here[0]).asked[this.language],isBack=(now-
Number(number2)+of)%of===1,next=isBack?numbers.findLast(one=>one<=Number(number2)):numbers.find(one=>one>=Number(number2));return`${lesson}${next??
numbers.at(isBack?-1:0)}`}here(){if(!this.shown)return"";let{picture,page,model,fit}=this.shown;return write({v:String(STATE_VERSION),
picture,page,model,fit:fit===AS_TRAINED?"":fit},this.viewer.toHash())}get isLive(){return this.about.models.some(({name:name2})=>this.
source.runs(name2))}modelOf(name2){return this.about.models.find(one=>one.name===name2)}bring(blob,title){let name2=UPLOAD+Array.from(
crypto.getRandomValues(new Uint8Array(5)),byte=>byte.toString(16).padStart(2,"0")).join("");return this.own(name2,blob,title),name2}own(name2,blob,title){
this.pictures.set(name2,{name:name2,type:blob.type,file:"",credit:"",asked:null,truth:[],drawn:!1,notes:{},blob,title})}isOwn(name2){
return!!this.pictures.get(name2)?.blob}async forget(){this.brought=[],await this.source.keeper.clear(),this.changed(this.wanted??this.
shown)}get title(){let name2=this.shown?.picture??"";return this.pictures.get(name2)?.title||name2}turn(page){return this.look({page:page>
1?String(page):""})}async look(part,{state=null,isAnother=!1,says="",strange=[],act=null}={}){let said=says,restore=()=>{said=this.
viewer.words.told([says,this.viewer.follow(state,strange)]),isAnother&&this.viewer.state.set(OF_PICTURE)},choice={...this.wanted??
this.shown??{...this.about.start,page:"",fit:AS_TRAINED},..."picture"in part?{page:""}:{},...part};if(this.shown&&same(choice,this.
shown))return this.wanted=null,state!==null&&restore(),this.settle(choice,said,act),"";this.wanted=choice,this.viewer.choose(JSON.
stringify(choice)),this.changed(choice);let isStale=()=>this.wanted!==choice,begun=performance.now(),stop=this.source.giveUp?{said:this.
words.page.stop,go:()=>this.source.giveUp()}:null,far=(share2,said2=this.words.export.looking.replace("{percent}",`${Math.round(100*
share2)}`))=>isStale()||performance.now()-begun<SLOW||this.said(said2,stop);try{let found=await this.source.look(choice,this.pictures.
get(choice.picture),far);if(isStale()||(state!==null&&(this.viewer.arrives=()=>(restore(),!0)),await this.show(found),isStale()))return null;
found.said&&(said=this.viewer.words.told([said,found.said]));let before=this.shown;this.wanted=null,this.shown=choice;let own=this.
pictures.get(choice.picture);return own?.blob&&before?.picture!==own.name&&this.keep(own),this.settle(choice,said,act),this.offered(
found.offer??null),this.write(before&&state===null?"push":"replace"),""}catch(error){if(isStale())return null;this.wanted=null;let why=error instanceof
Refused?error.message:`${this.words.export.failed} ${error.message}`;return this.settle(this.shown??choice,why),error.offer&&this.
offered(error.offer),why}finally{this.viewer.arrives=()=>!1}}again(){let{shown,wanted}=this;return this.shown=null,this.look(wanted??
shown).finally(()=>this.shown??=shown)}async show(found){if(found.payload)return this.viewer.showHere(found.payload,found.run);let staged=new Promise(
begun=>this.viewer.root.addEventListener("vizapp-maps",begun,{once:!0}));return Promise.race([staged,this.viewer.show(found)])}keep({
name:name2,blob,title}){this.brought=[name2,...this.brought.filter(one=>one!==name2)].slice(0,MOST2),this.source.keeper.keep({id:name2.
slice(UPLOAD.length),name:title,blob})}settle(choice,says,act=null){this.viewer.settle(JSON.stringify(choice)),this.changed(choice),
this.said(says,act)}async weights(file){this.said(this.words.page.loading.replace("{name}",()=>file.name));try{let{name:name2,asks}=await this.
source.weights(file);this.said(""),asks?this.complete(name2,asks):await this.look({model:name2})}catch(error){this.said(error.message)}}glance(model,frame){
let{fit}=this.wanted??this.shown??{fit:AS_TRAINED};return this.source.glance({model,fit},frame)}async idle(){for(;this.wanted||this.
timer;)await new Promise(requestAnimationFrame)}later(){this.timer||=window.setTimeout(()=>this.write(),PAUSE)}write(how="replace"){
clearTimeout(this.timer),this.timer=0;let hash=this.here();if(!(!hash||this.wanted||hash===location.hash))try{history[`${how}State`](
null,"",location.pathname+location.search+hash)}catch{how==="replace"&&(this.timer=window.setTimeout(()=>this.write(),3e4))}}};var FILM=/\.(mp4|m4v|webm|mov|ogv|mkv)$/i;var isFilm=({type,name:name2})=>type.startsWith("video/")||FILM.test(name2),mayMove=file=>isFilm(file)||/^image\/(gif|webp)$/.test(
file.type),framesOf=(file,most)=>isFilm(file)?decoded(file,most):animated(file,most).catch(()=>null);async function decoded(file,most){
let video=Object.assign(document.createElement("video"),{muted:!0,playsInline:!0,preload:"auto"}),url=URL.createObjectURL(file),heard=event=>new Promise(
(done,failed)=>{video.addEventListener(event,done,{once:!0}),video.addEventListener("error",()=>failed(video.error),{once:!0})});try{
let loaded=heard("loadeddata");if(video.src=url,await loaded,Number.isFinite(video.duration)||await seek(1e7),!video.videoWidth||!(video.
duration>0))throw new Error("no pictures in it")}catch(error){throw URL.revokeObjectURL(url),error}let count=Math.min(most,Math.max(
1,Math.round(video.duration*10)));return{count,rate:count/video.duration,frame:async number2=>(await seek((number2+.5)*video.duration/
count),drawn(video,video.videoWidth,video.videoHeight)),close:()=>{video.removeAttribute("src"),URL.revokeObjectURL(url)}};async function seek(seconds){
let there=heard("seeked");video.currentTime=seconds,await there}}async function animated(file,most){let{ImageDecoder}=globalThis;if(!ImageDecoder)
return null;let decoder=new ImageDecoder({data:await file.arrayBuffer(),type:file.type});await decoder.tracks.ready,await decoder.
completed;let whole=decoder.tracks.selectedTrack.frameCount;if(whole<2)return null;let count=Math.min(most,whole),{image:first}=await decoder.
decode({frameIndex:0}),seconds=(first.duration||1e5)/1e6;return first.close(),{count,rate:count/(seconds*whole),frame:async number2=>{
let{image}=await decoder.decode({frameIndex:Math.floor(number2*whole/count)}),canvas=drawn(image,image.displayWidth,image.displayHeight);
return image.close(),canvas},close:()=>decoder.close()}}function drawn(picture,width,height){let scale=Math.min(1,640/Math.max(width,
height));return framed2(picture,Math.round(width*scale),Math.round(height*scale))}function framed2(picture,width,height){let canvas=Object.
assign(document.createElement("canvas"),{width,height});return canvas.getContext("2d",{willReadFrequently:!0}).drawImage(picture,0,
0,width,height),canvas}var jpegOf=canvas=>new Promise(done=>canvas.toBlob(done,"image/jpeg",.92));var WANTED={width:{ideal:480},height:{ideal:360}},WHY={NotAllowedError:"cameraRefused",SecurityError:"cameraRefused",NotFoundError:"\
cameraNone",OverconstrainedError:"cameraNone"},COUNTED=12;async function camera(){if(!navigator.mediaDevices?.getUserMedia)return{
why:"cameraNotHere"};try{return{stream:await navigator.mediaDevices.getUserMedia({video:WANTED,audio:!1})}}catch(error){return{why:WHY[error.
name]??"cameraBusy"}}}function release(stream){for(let one of stream.getTracks())one.stop()}function rateOf(shown){if(shown.length>
COUNTED&&shown.shift(),shown.length<3)return"";let rate=1e3*(shown.length-1)/(shown.at(-1).at-shown[0].at);return rate<10?rate.toFixed(
1):rate.toFixed(0)}function percent(share2){let value=Math.abs(100*share2),digits2=value<5e-4||value>=9.95?0:value>=.995?1:value>=.0995?2:3;return`${share2<
0?"−":""}${value.toFixed(digits2)} %`}function barOf(colour,canvas=Object.assign(document.createElement("canvas"),{width:256,height:1})){let context=canvas.getContext("\
2d");for(let i=0;i<256;i++)context.fillStyle=colour.css(i/255),context.fillRect(i,0,1,1);return canvas}var ColourMap=class{constructor(base64){this.table=bytesOf(base64),this.packed=Uint32Array.from({length:256},(_,i)=>this.table[3*i]|
this.table[3*i+1]<<8|this.table[3*i+2]<<16)}css(share2){let at=3*stepOf(share2);return`rgb(${this.table[at]}, ${this.table[at+1]},\
 ${this.table[at+2]})`}fill(pixels,width,x,y,values,first,[rows,cols],high,alpha,reach=null){let top=alpha<<24,from=first;for(let row=0;row<
rows;row++){let to=(y+row)*width+x;for(let col=0;col<cols;col++,from++)pixels[to++]=reach&&!reach[from]?0:top|this.packed[stepOf(shareOf(
values[from],high))]}}};function shareOf(value,high){return Math.min(1,Math.max(0,value/high))}function stepOf(share2){return Math.min(255,Math.floor(256*
share2))}var COLOURS=["#e69f00","#56b4e9","#cc79a7","#009e73","#f0e442"];var BRIGHT=[255,255,255,150],DARK=[0,0,0,150],tiles=new Map;function filled(context,spacing,ratio,trace){let side=Math.max(3,Math.
round(spacing*ratio));tiles.has(side)||tiles.set(side,tileOf(side,Math.max(1,Math.round(ratio)))),context.fillStyle=context.createPattern(
tiles.get(side),"repeat"),context.beginPath(),trace(),context.fill()}function tileOf(side,line){let tile=Object.assign(document.createElement(
"canvas"),{width:side,height:side}),image=new ImageData(side,side);for(let i=0;i<side*side;i++){let at=(Math.floor(i/side)+i%side)%
side;at<2*line&&image.data.set(at<line?BRIGHT:DARK,4*i)}return tile.getContext("2d").putImageData(image,0,0),tile}function hatchPatches(context,{
x,y,w,h},{grid:[rows,cols],first},reach,ratio){filled(context,7,ratio,()=>{for(let i=0;i<rows*cols;i++){if(reach[first+i])continue;
let[row,col]=[Math.floor(i/cols),i%cols];context.rect(x+col*w/cols,y+row*h/rows,w/cols,h/rows)}})}var Measured=class{constructor(element,read){this.read=read,this.value=[0];let forget=()=>this.value=[0];new ResizeObserver(forget).
observe(element),addEventListener("resize",forget)}get now(){return this.value[0]||(this.value=this.read()),this.value}};var Stage=class{constructor(canvas,size=null){this.canvas=canvas,this.size=size,this.onPage=size?null:new Measured(canvas,()=>[canvas.
clientWidth,canvas.clientHeight]),this.cells=document.createElement("canvas"),this.ground=document.createElement("canvas"),this.lines=
{canvas:document.createElement("canvas"),outlines:null,of:""},this.bitmap=null,this.window=[0,0,1,1],this.grid=[1,1],this.box=null}setPicture(payload){
this.bitmap=payload.bitmap,this.window=payload.window,this.ground.width=0}resize(){let[width,height]=this.onPage?.now??[this.size.
width,this.size.height],ratio=this.size?.ratio??(window.devicePixelRatio||1);if(!width||!this.bitmap)return!1;this.ratio=ratio,(this.
canvas.width!==Math.round(width*ratio)||this.canvas.height!==Math.round(height*ratio))&&(this.canvas.width=Math.round(width*ratio),
this.canvas.height=Math.round(height*ratio));let scale=Math.min(this.canvas.width/this.bitmap.width,this.canvas.height/this.bitmap.
height),w=this.bitmap.width*scale,h=this.bitmap.height*scale;return this.box={x:(this.canvas.width-w)/2,y:(this.canvas.height-h)/2,
w,h},(this.ground.width!==this.canvas.width||this.ground.height!==this.canvas.height)&&this.drawGround(),!0}inputBox(){let{x,y,w,h}=this.
box,[left,top,right,bottom]=this.window;return{x:x+left*w,y:y+top*h,w:(right-left)*w,h:(bottom-top)*h}}draw(view){if(this.grid=view.
queries.grid,!this.resize())return;let context=this.canvas.getContext("2d"),input=this.inputBox();if(context.clearRect(0,0,this.canvas.
width,this.canvas.height),context.drawImage(this.ground,0,0),context.save(),this.clipToSeen(context,input),view.values&&this.drawHeat(
context,input,view),view.labels&&this.drawLabels(context,input,view.labels,view.opacity),view.reach){view.showGrid&&this.drawGrid(
context,input),this.drawReach(context,input,view.layout,view.reach);for(let outline of view.outlines)this.drawOutline(context,input,
outline,view.inputSize)}else(view.showGrid||view.outlines.length)&&context.drawImage(this.linesOf(view,input),0,0);context.restore();
for(let mark2 of view.marks)this.drawMark(context,input,mark2)}drawGround(){let{x,y,w,h}=this.box;this.ground.width=this.canvas.width,
this.ground.height=this.canvas.height;let context=this.ground.getContext("2d");context.filter="grayscale(1) contrast(0.6) brightne\
ss(0.6)",context.drawImage(this.bitmap,x,y,w,h),context.filter="none",this.clipToSeen(context,this.inputBox()),context.drawImage(this.
bitmap,x,y,w,h)}clipToSeen(context,input){for(let{x,y,w,h}of[this.box,input])context.beginPath(),context.rect(x,y,w,h),context.clip()}linesOf({
showGrid,outlines,inputSize},input){let{lines}=this,{width,height}=this.canvas,of=[width,height,...Object.values(this.box),...Object.
values(input),this.grid,showGrid].join();if(lines.of===of&&(lines.outlines===outlines||!(lines.outlines.length+outlines.length)))return lines.
canvas;Object.assign(lines,{outlines,of}),Object.assign(lines.canvas,{width,height});let context=lines.canvas.getContext("2d");this.
clipToSeen(context,input),showGrid&&this.drawGrid(context,input);for(let outline of outlines)this.drawOutline(context,input,outline,
inputSize);return lines.canvas}drawHeat(context,input,view){let{grid,first}=view.layout,[rows,cols]=grid,image=new ImageData(cols,
rows);view.map.fill(new Uint32Array(image.data.buffer),cols,0,0,view.values,first,grid,view.high,255);for(let i=0;i<rows*cols;i++){
if(view.reach&&!view.reach[first+i]){image.data[4*i+3]=0;continue}let fade=view.byValue?Math.sqrt(shareOf(view.values[first+i],view.
high)):1;image.data[4*i+3]=255*view.opacity*fade}(this.cells.width!==cols||this.cells.height!==rows)&&Object.assign(this.cells,{width:cols,
height:rows}),this.cells.getContext("2d").putImageData(image,0,0),context.imageSmoothingEnabled=view.smooth,context.imageSmoothingQuality=
"high",context.drawImage(this.cells,input.x,input.y,input.w,input.h),!(!view.reach||!view.opacity)&&(context.globalAlpha=view.opacity,
hatchPatches(context,input,view.layout,view.reach,this.ratio),context.globalAlpha=1)}drawLabels(context,input,{grid:[rows,cols],things,
labels},opacity){let image=new ImageData(cols,rows);labels.forEach(([thing,share2],i)=>{let colour=Number.parseInt(COLOURS[thing].
slice(1),16),sure=Math.sqrt(Math.max(0,(share2-1/things)/(1-1/things)));image.data.set([colour>>16,colour>>8&255,colour&255,255*opacity*
sure],4*i)}),(this.cells.width!==cols||this.cells.height!==rows)&&Object.assign(this.cells,{width:cols,height:rows}),this.cells.getContext(
"2d").putImageData(image,0,0),context.imageSmoothingEnabled=!1,context.drawImage(this.cells,input.x,input.y,input.w,input.h)}drawGrid(context,input){
let[rows,cols]=this.grid;context.beginPath();for(let row=1;row<rows;row++)context.moveTo(input.x,input.y+row*input.h/rows),context.
lineTo(input.x+input.w,input.y+row*input.h/rows);for(let col=1;col<cols;col++)context.moveTo(input.x+col*input.w/cols,input.y),context.
lineTo(input.x+col*input.w/cols,input.y+input.h);context.strokeStyle=`rgba(255, 255, 255, ${rows*cols>1200?.08:.16})`,context.lineWidth=
this.size?this.ratio:1,context.stroke()}drawMark(context,input,{cell:[row,col],grid:[rows,cols],kind,colour:own="white",reach=0}){
let w=input.w/cols,h=input.h/rows,[left,top]=[Math.max(0,col-reach),Math.max(0,row-reach)],[right,bottom]=[Math.min(cols,col+reach+
1),Math.min(rows,row+reach+1)],{ratio}=this,line=(kind==="pinned"?3:2)*ratio,[x,y]=[input.x+col*w,input.y+row*h],shape=new Path2D;
if(kind==="sink")for(let[right2,down]of[[.5,.1],[.9,.5],[.5,.9],[.1,.5]])shape.lineTo(x+right2*w,y+down*h);else shape.rect(input.x+
left*w,input.y+top*h,(right-left)*w,(bottom-top)*h);shape.closePath(),context.setLineDash(kind==="read"?[4*ratio,3*ratio]:[]);for(let[
colour,width]of[["black",line+2*ratio],[own,line]])context.strokeStyle=colour,context.lineWidth=width,context.stroke(shape);context.
setLineDash([])}drawReach(context,input,{grid:[rows,cols],first},reach){let isIn2=(row,col)=>row>=0&&col>=0&&row<rows&&col<cols&&reach[first+
row*cols+col],x=col=>input.x+col*input.w/cols,y=row=>input.y+row*input.h/rows;context.beginPath();for(let row=0;row<rows;row++)for(let col=0;col<
cols;col++)if(isIn2(row,col))for(let[down,right,...ends]of[[-1,0,0,0,0,1],[1,0,1,0,1,1],[0,-1,0,0,1,0],[0,1,0,1,1,1]])isIn2(row+down,
col+right)||(context.moveTo(x(col+ends[1]),y(row+ends[0])),context.lineTo(x(col+ends[3]),y(row+ends[2])));let{ratio}=this;context.
lineCap="square";for(let[colour,line]of[["rgba(0, 0, 0, 0.6)",3*ratio],["white",ratio]])context.strokeStyle=colour,context.lineWidth=
line,context.stroke()}drawOutline(context,input,{path,top,name:name2,object},[height,width]){if(!top)return;let{ratio}=this,placed=new Path2D,
matrix=new DOMMatrix([input.w/width,0,0,input.h/height,input.x,input.y]);placed.addPath(path,matrix),context.lineCap="round";for(let[
colour,line]of[["rgba(0, 0, 0, 0.75)",4*ratio],[object?"#5eead4":"#fb923c",2*ratio]])context.strokeStyle=colour,context.lineWidth=
line,context.stroke(placed);name2&&this.drawName(context,name2,matrix.transformPoint(new DOMPoint(...top)),ratio)}drawName(context,name2,{
x,y},pixels){let ratio=pixels*Math.max(1,this.canvas.width/pixels/560);context.font=`${12*ratio}px sans-serif`,context.textBaseline=
"middle",context.textAlign="left";let wide=context.measureText(name2).width+8*ratio,tall=17*ratio,{x:left0,y:top0,w,h}=this.box,left=Math.
min(left0+w-wide,Math.max(left0,x-wide/2)),top=Math.min(top0+h-tall,Math.max(top0,y-tall-4*ratio));context.fillStyle="rgba(0, 0, 0\
, 0.7)",context.fillRect(left,top,wide,tall),context.fillStyle="white",context.fillText(name2,left+4*ratio,top+tall/2)}pointAt(event){
if(!this.box)return null;let area=this.canvas.getBoundingClientRect(),px=(event.clientX-area.left)*this.canvas.width/area.width,py=(event.
clientY-area.top)*this.canvas.height/area.height,inside=share2=>Math.min(1,Math.max(0,share2));return[inside((px-this.box.x)/this.
box.w),inside((py-this.box.y)/this.box.h)]}placeAt(event){if(!this.box)return null;let area=this.canvas.getBoundingClientRect(),px=(event.
clientX-area.left)*this.canvas.width/area.width,py=(event.clientY-area.top)*this.canvas.height/area.height,{x,y,w,h}=this.box;return px<
x||py<y||px>=x+w||py>=y+h?null:[(px-x)/w,(py-y)/h]}};var DARK2="rgba(2, 6, 23, 0.6)",MovingStage=class extends Stage{drawGround(){let{x,y,w,h}=this.box;Object.assign(this.ground,{width:this.
canvas.width,height:this.canvas.height});let context=this.ground.getContext("2d");context.drawImage(this.bitmap,x,y,w,h);let input=this.
inputBox(),rest=new Path2D;rest.rect(x,y,w,h),rest.rect(input.x,input.y,input.w,input.h),context.save(),context.beginPath(),context.
rect(x,y,w,h),context.clip(),context.fillStyle=DARK2,context.fill(rest,"evenodd"),context.restore()}},Moving=class{constructor(root,desk){
let{words,about}=desk;this.desk=desk,this.words=words.export,this.root=root,this.box=document.createElement("section"),this.box.id=
"moving",this.box.hidden=!0,this.box.innerHTML=`
      <div class="line"><h2></h2><span class="rate" role="status"></span><span class="own"></span><button type="button" class="fre\
eze"></button><button type="button" class="end"></button></div>
      <canvas class="stage" role="img"></canvas>
      <div class="line times"></div>
      <div class="line">
        <label class="layer"><span></span> <input type="range" min="1" step="1"> <output></output></label>
        <label class="head"><span></span> <select></select></label>
      </div>
      <div class="line scale"><span>0</span><canvas width="256" height="1"></canvas><span class="high"></span><button type="button\
" class="anew"></button></div>
      <p class="kept"></p>`,this.box.moving=this,root.prepend(this.box),this.colour=new ColourMap(Object.values(about.colours)[0]),
this.stage=new MovingStage(this.find(".stage")),barOf(this.colour,this.find(".scale canvas")),this.find(".layer span").textContent=
words.viewer.layer,this.find(".head span").textContent=words.viewer.head,this.find(".freeze").textContent=this.words.freeze,this.find(
".freeze").title=this.words.freezeHelp,this.find(".anew").textContent=this.words.scaleAnew,this.layer=-1,this.head=-1,this.now=null,
this.over=null,this.highest="",this.holdsModel=!1,this.highOf=(_layer,_head)=>0,this.ended=()=>{},this.shown=[],this.find(".layer \
input").addEventListener("input",({target:target2})=>this.choose({layer:Number(target2.value)-1})),this.find(".head select").addEventListener(
"change",({target:target2})=>this.choose({head:Number(target2.value)})),this.find(".end").addEventListener("click",()=>this.close()),
new ResizeObserver(()=>this.draw()).observe(this.find(".stage"))}find(css){return this.box.querySelector(css)}open({title,end,kept:kept2,
highest,freeze,ended,anew,holdsModel=!1,highOf}){this.close(),this.highest=highest,this.holdsModel=holdsModel,this.over=this.desk.
wanted??this.desk.shown,this.highOf=highOf,this.ended=ended,this.now=null,this.shown=[],this.find("h2").textContent=title,this.find(
".end").textContent=end,this.find(".kept").textContent=kept2,this.find(".rate").textContent=this.words.starting,this.find(".freeze").
onclick=freeze,this.find(".freeze").disabled=!0,this.find(".anew").hidden=!anew,this.find(".anew").onclick=anew,this.find(".times").
replaceChildren(),this.find(".own").replaceChildren(),this.box.hidden=!1,this.root.classList.add("moving"),this.box.scrollIntoView(
{block:"nearest"})}follow({picture,model,fit}){let{over}=this;(picture!==over?.picture||this.holdsModel&&(model!==over.model||fit!==
over.fit))&&this.close()}get isOpen(){return!this.box.hidden}close(){if(!this.isOpen)return;let{ended}=this;this.ended=()=>{},this.
box.hidden=!0,this.root.classList.remove("moving"),ended()}show(picture,found){let isFirst=!this.now||this.now.found.layers!==found.
layers||this.now.found.heads!==found.heads;this.now={picture,found},isFirst&&this.offer(found),this.find(".freeze").disabled=!1,this.
draw()}offer({layers,heads}){let view=this.desk.viewer.state;this.layer<0&&(this.layer=view.get("layer")??layers-1),this.layer=Math.
min(this.layer,layers-1),this.head=Math.min(this.head,heads-1),Object.assign(this.find(".layer input"),{max:layers,value:this.layer+
1}),this.find(".layer output").textContent=`${this.layer+1} / ${layers}`;let names=[[this.words.meanOfHeads,-1],...Array.from({length:heads},
(_,head)=>[String(head+1),head])];this.find(".head select").replaceChildren(...names.map(([name2,head])=>new Option(String(name2),
String(head)))),this.find(".head select").value=String(this.head)}choose(part){Object.assign(this,part),this.now&&(this.find(".lay\
er output").textContent=`${this.layer+1} / ${this.now.found.layers}`),this.draw()}draw(){if(!this.now||!this.isOpen)return;let{picture,
found}=this.now,high=this.highOf(this.layer,this.head);this.stage.setPicture({bitmap:picture,window:found.window}),this.stage.draw(
{values:valuesOf(found,this.layer,this.head),layout:{grid:found.tokens.grid,first:found.tokens.prefix.length},queries:{grid:found.
tokens.grid},high:high||1,map:this.colour,opacity:OPACITY,byValue:!0,smooth:!1,showGrid:!1,reach:null,marks:[],outlines:[],inputSize:[
1,1]}),this.find(".high").textContent=this.highest.replace("{share}",percent(high))}say(text){this.find(".rate").textContent=text}};
function valuesOf({rows,heads,tokens:{prefix,grid}},layer,head){let n=prefix.length+grid[0]*grid[1],of=one=>rows.subarray((layer*heads+
one)*n,(layer*heads+one+1)*n);if(head>=0)return of(head);let mean=new Float32Array(n);for(let one=0;one<heads;one++)of(one).forEach(
(value,token)=>mean[token]+=value/heads);return mean}function largestOf(found){let{layers,heads,tokens}=found,made2=new Float32Array(
layers*(heads+1));for(let layer=0;layer<layers;layer++)for(let head=-1;head<heads;head++){let values=valuesOf(found,layer,head).subarray(
tokens.prefix.length);made2[placeOf(found,layer,head)]=values.reduce((most,value)=>Math.max(most,value),0)}return made2}var placeOf=({
heads},layer,head)=>layer*(heads+1)+(head<0?heads:head),pngOf=picture=>new Promise(done=>framed2(picture,picture.width,picture.height).
toBlob(done,"image/png"));var AHEAD=25;function webcam(desk,root,moving2){let{words:{export:words}}=desk,{isLive}=desk,button=Object.assign(document.createElement(
"button"),{type:"button",className:"webcam",textContent:words.webcam});button.hidden=!isLive||!desk.source.glance,root.querySelector(
".ways").prepend(button),button.addEventListener("click",async()=>{button.disabled=!0;try{await start()}finally{button.disabled=!1}});
async function start(){let{stream,why}=await camera();if(why)return desk.said(words[why]);let video=Object.assign(document.createElement(
"video"),{muted:!0,playsInline:!0,srcObject:stream}),[track]=stream.getVideoTracks(),hide=()=>document.hidden&&moving2.close(),isOn=!0,
highs=new Float32Array(0),found=null,picture=null;moving2.open({title:words.webcam,end:words.cameraStop,kept:[words.cameraKept,cautionOf(
desk)].join(" "),highest:words.highest,highOf:(layer,head)=>highs[placeOf(found,layer,head)]??0,anew:()=>highs=new Float32Array(0),
freeze:async()=>{let{layer,head}=moving2,[frame,{sent}]=[picture,found];moving2.close();let name2=desk.bring(sent??await pngOf(frame),
"webcam");await desk.look({picture:name2,model:modelOf(desk)}),desk.viewer.state.set(head<0?{layer}:{layer,head,fusion:"one"})},ended:()=>{
isOn=!1,document.removeEventListener("visibilitychange",hide),release(stream),video.srcObject=null}}),desk.said(""),document.addEventListener(
"visibilitychange",hide),track.addEventListener("ended",()=>isOn&&(moving2.close(),desk.said(words.cameraGone))),await video.play();
let{shown}=moving2,[next,took]=[Promise.resolve(ask(video)),1/0];for(;isOn;){let{frame,answer}=await next;next=Promise.race([after(
took-AHEAD),answer.catch(()=>{})]).then(()=>isOn&&ask(video));let seen;try{seen=await answer}catch(error){moving2.close(),desk.said(
`${words.failed} ${error.message}`);return}if(!isOn)return;({took}=seen);let most=largestOf(seen);highs=highs.length===most.length&&
found?.layers===seen.layers?highs.map((high,i)=>Math.max(high,most[i])):most,found=seen,picture=frame,moving2.show(frame,seen),shown.
push({at:performance.now(),took:seen.took});let rate=rateOf(shown);rate&&moving2.say(words.perSecond.replace("{rate}",rate))}}function ask(video){
let frame=framed2(video,video.videoWidth,video.videoHeight),answer=desk.glance(modelOf(desk),frame);return answer.catch(()=>{}),{frame,
answer}}}function modelOf(desk){let{model}=desk.wanted??desk.shown??desk.about.start;return desk.source.runs(model)?model:desk.about.
models.find(({name:name2})=>desk.source.runs(name2)).name}var cautionOf=desk=>desk.modelOf(modelOf(desk))?.subject==="scenes"?desk.
words.page.caution_scenes:"";function after(milliseconds){return new Promise(go=>milliseconds<1/0&&setTimeout(go,Math.max(0,milliseconds)))}var MOST3=240;function film(desk,moving2){let words=desk.words.export;return async file=>{if(!desk.source.glance)return!1;let source;
try{source=await framesOf(file,MOST3)}catch{return desk.said(words.filmUnreadable),!0}return source&&await show(file.name,source),
!!source};async function show(name2,source){let{count,rate}=source,kept2=[],highs=new Float32Array(0),[isOn,at,timer,drawing]=[!0,
0,0,!1],isLed=!1,model=modelOf(desk);moving2.open({title:name2,end:words.filmClose,kept:[words.filmKept,cautionOf(desk)].join(" "),
highest:words.filmHighest,holdsModel:!0,highOf:(layer,head)=>highs[placeOf(kept2[0].found,layer,head)]??0,freeze:async()=>{let{layer,
head}=moving2,picture=kept2[at].found.sent??await pngOf(await source.frame(at));moving2.close(),await desk.look({picture:desk.bring(
picture,name2),model}),desk.viewer.state.set(head<0?{layer}:{layer,head,fusion:"one"})},ended:()=>{isOn=!1,clearInterval(timer),source.
close()}}),desk.said("");let{slider,output,play,save:save2}=controls();slider.max=String(count-1),slider.addEventListener("input",
()=>{stop(),isLed=!0,go(Number(slider.value))}),play.addEventListener("click",()=>timer?stop():start()),save2.addEventListener("cl\
ick",()=>record());for(let i=0;i<count&&isOn;i++)try{let canvas=await source.frame(i),found=await desk.glance(model,canvas);kept2.
push({blob:await jpegOf(canvas),found});let most=largestOf(found);if(highs=highs.length?highs.map((high,place2)=>Math.max(high,most[place2])):
most,!isOn)return;moving2.say(words.filmLooking.replace("{done}",String(i+1)).replace("{count}",String(count))),isLed?moving2.draw():
paint2(i,canvas)}catch(error){isOn&&moving2.close(),isOn&&desk.said(`${words.failed} ${error.message}`);return}if(!isOn)return;moving2.
say(words.filmDone.replace("{count}",String(count)).replace("{rate}",String(Math.round(10*rate)/10))),play.disabled=!1,save2.disabled=
!globalThis.MediaRecorder;function paint2(number2,picture){at=number2,slider.value=String(number2),output.textContent=`${(number2/
rate).toFixed(1)} s`,moving2.show(picture,kept2[number2].found)}async function go(number2){if(at=Math.min(number2,kept2.length-1),
!drawing){drawing=!0;for(let now=-1;now!==at&&isOn;){now=at;let picture=await createImageBitmap(kept2[now].blob);isOn&&now===at&&paint2(
now,picture)}drawing=!1}}function start(){isLed=!0,play.textContent=words.filmPause,timer=window.setInterval(()=>go((at+1)%count),
1e3/rate)}function stop(){clearInterval(timer),timer=0,play.textContent=words.filmPlay}async function record(){stop(),save2.disabled=
!0,await go(0);let recorder=new MediaRecorder(moving2.stage.canvas.captureStream(),{mimeType:"video/webm"}),parts=[];recorder.ondataavailable=
({data})=>parts.push(data);let done=new Promise(end=>recorder.onstop=end);recorder.start();for(let i=0;i<count&&isOn;i++)await go(
i),await new Promise(next=>setTimeout(next,1e3/rate));if(recorder.stop(),await done,save2.disabled=!1,!isOn)return;let url=URL.createObjectURL(
new Blob(parts,{type:"video/webm"}));Object.assign(document.createElement("a"),{href:url,download:`${name2.replace(/\.\w+$/,"")}-${model}\
.webm`}).click(),setTimeout(()=>URL.revokeObjectURL(url),1e4)}}function controls(){let box=moving2.find(".times");box.innerHTML=`<\
label class="time"><span></span> <input type="range" min="0" step="1" value="0"> <output></output></label>
      <button type="button" class="play" disabled></button><button type="button" class="save" disabled></button>`;let[slider,output,
play,save2]=["input","output",".play",".save"].map(css=>box.querySelector(css));return box.querySelector("span").textContent=words.
filmTime,play.textContent=words.filmPlay,Object.assign(save2,{textContent:words.filmSave,title:words.filmSaveHelp}),{slider,output,
play,save:save2}}}var PICTURE=/\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i,WEIGHTS=/\.safetensors$/i;var isPicture=({type,name:name2})=>type.startsWith("image/")&&!type.includes("svg")||PICTURE.test(name2),isOther=file=>!isPicture(
file)&&!!(file.type||/\.\w+$/.test(file.name)),isWeights=({name:name2})=>WEIGHTS.test(name2);async function dropped(transfer){let entries=[
...transfer.items].filter(({kind})=>kind==="file").map(item=>item.webkitGetAsEntry?.()),isFolder=entries.some(entry2=>entry2?.isDirectory);
if(!isFolder)return{found:listed(transfer.files),isFolder};let found=[];for(let entry2 of entries)await walk(entry2,found,0);return{
found:inOrder2(found),isFolder}}var listed=files2=>inOrder2([...files2].map(file=>({file,path:file.webkitRelativePath||file.name})).
filter(({path})=>!path.includes("/."))),inOrder2=found=>found.sort((a,b)=>a.path.localeCompare(b.path,void 0,{numeric:!0}));async function walk(entry2,found,depth){
if(!(!entry2||found.length>=5e3||entry2.name.startsWith("."))){if(entry2.isFile){let file=await new Promise(done=>entry2.file(done,
()=>done(null)));file&&found.push({file,path:entry2.fullPath.replace(/^\//,"")})}else if(depth<8){let reader=entry2.createReader();
for(;;){let some=await new Promise(done=>reader.readEntries(done,()=>done([])));if(!some.length)return;for(let one of some)await walk(
one,found,depth+1)}}}}var byFinger=globalThis.matchMedia?.("(pointer: coarse)"),Words=class{constructor(table2,own={}){this.table={...own,...table2}}has(key){
return Object.hasOwn(this.table,key)}say(key,values={}){return joined2(this.sentence(key).replace(/\{(\w+)\}/g,(_,name2)=>String(values[name2])))}sentence(key){
return byFinger?.matches&&this.has(`${key}_touch`)?this.table[`${key}_touch`]:this.has(key)?this.table[key]:(console.error(`There \
is no word for '${key}'.`),key.replaceAll("_"," "))}list(things){return things.join(this.say("list_comma"))}told(sentences){return sentences.
filter(Boolean).join(this.say("sentence_gap"))}fill(html){let made2=document.createElement("template");made2.innerHTML=html.replace(
/\$([a-z]\w*)/g,(_,key)=>escaped(this.say(key)));for(let term of made2.content.querySelectorAll("[data-term]"))term.setAttribute("\
role","button"),term.setAttribute("tabindex","0");return made2.content}},joined2=text=>text.replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g,
""),ENTITIES={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"};function escaped(text){return text.replace(/[&<>"]/g,sign=>ENTITIES[sign])}var Hint=class{constructor(title,about){this.root=document.createElement("div"),this.root.className="drop-hint",this.root.appendChild(
document.createElement("p")).append(Object.assign(document.createElement("b"),{textContent:title}),about),this.timer=0}show(){this.
root.isConnected||document.body.append(this.root),clearTimeout(this.timer),this.timer=setTimeout(()=>this.hide(),1200)}hide(){clearTimeout(
this.timer),this.root.remove()}};async function paint(canvas,file){canvas.width=canvas.height=112;let pen=canvas.getContext("2d");try{let bitmap=await createImageBitmap(
file,{resizeHeight:224,resizeQuality:"medium"}),side=Math.min(bitmap.width,bitmap.height);pen.drawImage(bitmap,(bitmap.width-side)/
2,(bitmap.height-side)/2,side,side,0,0,112,112),bitmap.close()}catch{pen.font="600 26px system-ui, sans-serif",pen.textAlign="cent\
er",pen.fillStyle="#667";let kind=/\.(\w{1,5})$/.exec(file.name)?.[1]??"?";pen.fillText(kind.toUpperCase(),112/2,112/2+9,104)}}var MOST4=100,MOST_BYTES2=2**30,PAUSE2=250,Strip=class{constructor(row,on,say){this.items=[],this.current=null,this.row=row,this.on=
on,this.say=say,this.timer=0,this.seen=new IntersectionObserver(all=>this.arrive(all),{root:row,rootMargin:"200px"}),this.queue=Promise.
resolve(),row.addEventListener("click",({target:target2})=>{let item=this.items.find(({button})=>button.contains(target2));item&&this.
choose(item,0)}),row.addEventListener("keydown",event=>{this.key(event.key)&&event.preventDefault()})}get bytes(){return this.items.
reduce((sum,{file})=>sum+file.size,0)}add(found){let[bytes,left]=[this.bytes,0],first=null;for(let{file,path,film:film2}of found){
let known3=this.items.find(one=>one.path===path&&one.file.size===file.size&&one.file.lastModified===file.lastModified);if(!known3&&
(this.items.length>=MOST4||bytes+file.size>MOST_BYTES2)){left+=1;continue}let item=known3??this.made(file,path,film2);known3||(bytes+=
file.size),first??=item}return this.number(),{first,left}}made(file,path,film2){let button=document.createElement("button");Object.
assign(button,{type:"button",className:"strip-one",tabIndex:-1,title:path}),button.setAttribute("role","option"),button.append(document.
createElement("canvas"));let item={file,path,film:film2,on:"",bad:"",button};return this.items.push(item),this.row.append(button),
this.seen.observe(button),item}number(){let of=this.items.length;this.items.forEach(({button,path,bad},at)=>{let said=this.say("on\
e",{name:path,at:at+1,of});button.setAttribute("aria-label",bad?`${said}: ${bad}`:said)})}choose(item,pause){this.mark(item,!0),item.
button.focus({preventScroll:!0}),clearTimeout(this.timer),this.timer=setTimeout(()=>this.on.look(item),pause)}mark(item,isWaiting=!1){
this.current=item;for(let{button}of this.items){let isIt=button===item?.button;button.setAttribute("aria-selected",String(isIt)),button.
classList.toggle("is-waiting",isIt&&isWaiting),button.tabIndex=isIt?0:-1}!item&&this.items.length&&(this.items[0].button.tabIndex=
0),item&&this.bring(item.button),this.on.tell()}bring(button){let{left,right}=button.getBoundingClientRect(),row=this.row.getBoundingClientRect(),
by=left<row.left?left-row.left-60:right>row.right?right-row.right+60:0,isCalm=matchMedia("(prefers-reduced-motion: reduce)").matches;
by&&this.row.scrollBy({left:by,behavior:isCalm?"instant":"smooth"})}blame(item,why){item.bad=why,item.button.classList.toggle("is-\
bad",!!why),item.button.title=why?`${item.path}: ${why}`:item.path,this.number(),this.on.tell()}key(key){let last=this.items.length-
1,at=this.items.indexOf(this.current),to={ArrowLeft:at-1,ArrowRight:at+1,Home:0,End:last}[key];if(to===void 0||last<0)return!1;let item=this.
items[Math.min(last,Math.max(0,to))];return item!==this.current&&this.choose(item,PAUSE2),!0}arrive(all){for(let{target:target2,isIntersecting}of all){
if(!isIntersecting)continue;this.seen.unobserve(target2);let item=this.items.find(({button})=>button===target2);item&&(this.queue=
this.queue.then(()=>this.items.includes(item)&&paint(item.button.querySelector("canvas"),item.file)))}}clear(){clearTimeout(this.timer),
this.seen.disconnect(),this.items=[],this.current=null,this.row.replaceChildren()}};var MB=2**20;function isWritten(target2){return target2 instanceof HTMLElement?target2 instanceof HTMLInputElement&&/^(text|search|url|email|password|number|tel)$/.
test(target2.type)||target2 instanceof HTMLTextAreaElement||target2.isContentEditable:!1}var Intake=class{constructor(desk,choices,root,film2){
this.desk=desk,this.words=new Words(desk.words.incoming),this.film=film2,root.innerHTML=`
      <div class="strip"><div class="strip-head"><span class="strip-count"></span><p class="strip-said" role="status"></p>
      <button type="button" class="strip-close">×</button></div>
      <div class="strip-row" role="listbox" aria-orientation="horizontal"></div></div>`,this.root=root.firstElementChild;let[close,
row]=[".strip-close",".strip-row"].map(css=>root.querySelector(css));this.count=root.querySelector(".strip-count"),this.said=root.
querySelector(".strip-said"),row.ariaLabel=this.say("strip"),Object.assign(close,{title:this.say("close"),ariaLabel:this.say("clos\
e"),onclick:()=>this.close()}),this.names=new Map;let on={look:item=>this.look(item),tell:()=>this.tell()};this.strip=new Strip(row,
on,(key,values)=>this.say(key,values)),this.field=choices.querySelector("input[type=file]"),this.field.addEventListener("change",()=>{
this.take(listed(this.field.files),this.field.webkitdirectory,"no_pictures"),this.field.value=""}),choices.querySelector(".bring").
addEventListener("click",()=>this.pick(!1)),choices.querySelector(".folder").addEventListener("click",()=>this.pick(!0)),this.listen()}say(key,values={}){
return this.words.say(key,values)}listen(){let hint=new Hint(this.say("drop"),this.say("drop_help")),isOurs=!1;addEventListener("d\
ragstart",()=>isOurs=!0),addEventListener("dragend",()=>isOurs=!1);let isMine=({target:target2,dataTransfer})=>!isOurs&&dataTransfer&&
(dataTransfer.types.includes("Files")||!isWritten(target2));addEventListener("dragover",event=>{isMine(event)&&(event.preventDefault(),
event.dataTransfer.types.includes("Files")&&hint.show())}),addEventListener("dragleave",({relatedTarget})=>relatedTarget||hint.hide()),
addEventListener("drop",async event=>{if(hint.hide(),!isMine(event))return void(isOurs=!1);event.preventDefault();let isAddress=event.
dataTransfer.types.includes("text/uri-list"),{found,isFolder}=await dropped(event.dataTransfer);this.take(found,isFolder,isAddress?
"dropped_address":"dropped_text")}),addEventListener("paste",({target:target2,clipboardData})=>{isWritten(target2)||!clipboardData?.
types.length||this.take(listed(clipboardData.files),!1,"pasted_text")})}pick(isFolder){this.field.webkitdirectory=isFolder,this.field.
click()}async take(found,isFolder,nothing){let{desk}=this;if(!found.length)return this.tell(this.say(isFolder?"no_pictures":nothing));
if(!desk.isLive)return this.tell(desk.words.export.mapsOnly);let[{file}]=found;if(found.length===1&&mayMove(file)&&await this.film(
file))return;let pictures=found.filter(one=>isPicture(one.file));if(found.length===1&&!isFolder&&!(pictures.length&&this.strip.items.
length))return this.open(file);if(!pictures.length)return this.tell(this.say("no_pictures"));let others=found.length-pictures.length,
{first,left}=this.strip.add(pictures),full2=left?this.say("too_many",{n:left,most:MOST4,bytes:MOST_BYTES2/MB}):"";this.tell(desk.viewer.
words.told([full2,others?this.say("others",{n:others}):""])),first&&this.strip.choose(first,0)}async open(file){let{desk}=this;return this.
tell(""),isWeights(file)?desk.source.weights?desk.weights(file):this.tell(this.say("no_weights",{name:file.name})):isOther(file)?this.
tell(this.say("no_picture",{name:file.name})):this.bring(file,file.name)}bring(blob,title){return this.show(this.desk.bring(blob,title))}show(picture){
let{desk}=this,now=desk.wanted??desk.shown,isAble=now&&desk.source.can(now.model,picture),model=isAble?now.model:desk.about.models.
find(({name:name2})=>desk.source.runs(name2)).name,{looksInstead}=desk.words.export,says=now&&!isAble?looksInstead.replace("{model\
}",now.model).replace("{other}",model):"";return desk.look({picture,model},{says})}async look(item){this.strip.blame(item,""),this.
names.has(item)||this.names.set(item,this.desk.bring(item.file,item.path)),await this.show(this.names.get(item))&&this.strip.blame(
item,this.say("not_shown"))}follow({picture}){if(!this.strip.items.length)return;let item=this.strip.items.find(one=>this.names.get(
one)===picture)??null;this.strip.mark(item,!!this.desk.wanted)}tell(text){text!==void 0&&(this.said.textContent=text);let{items,current}=this.
strip,at=items.indexOf(current),count=items.length?this.say("of",{of:items.length}):"",one=at<0?"":this.say("at",{at:at+1,of:items.
length,name:current.path});this.count.textContent=one?`${one} ${current.bad}`.trim():count;let isOpen=!!(items.length||this.said.textContent);
this.root.classList.toggle("is-open",isOpen),this.root.classList.toggle("has-pictures",items.length>0)}close(){this.strip.clear(),
this.names.clear(),this.tell("")}};var KEPT="vizapp-language";function chosen(known3){let asked2=new URLSearchParams(location.search).get("lang"),names=Object.keys(known3);
if(names.length===1)return names[0];if(names.includes(asked2))return keep(asked2),asked2;let last=kept();if(names.includes(last))return last;
for(let tag of navigator.languages??[]){let found=names.find(name2=>tag===known3[name2].tag||tag.split("-")[0]===known3[name2].tag.
split("-")[0]);if(found)return found}return names[0]}function addressIn(name2){let query=new URLSearchParams(location.search);return query.
set("lang",name2),`${location.pathname}?${query}${location.hash}`}function kept(){try{return localStorage.getItem(KEPT)}catch{return null}}
function keep(name2){try{localStorage.setItem(KEPT,name2)}catch{}}function lost(root,desk){let{line,made:made2}=desk.source;if(!line)return;line.changed=isLost=>{root.textContent=isLost?desk.words.
export.lineLost:"",!isLost&&isCutOff()&&desk.again()};function isCutOff(){let{wanted,shown,viewer}=desk;if(wanted)return[...made2.
values()].some(({choice})=>choice===wanted);let{payload}=viewer,staged=made2.get(payload?.run);return!!(shown&&(!payload?.complete||
staged&&staged.choice!==shown))}}var ARROWS={ArrowLeft:[-1,0],ArrowUp:[0,-1],ArrowDown:[0,1],ArrowRight:[1,0]},MOST_ROWS=3,short=value=>value&&Math.abs(value)<.001?
value.toExponential(2):String(Number(value.toPrecision(3))),written2=(score,words)=>score===null?words.hidden:short(score);function make(name2,attributes={},...children){
let one=["svg","polyline","polygon"].includes(name2)?document.createElementNS("http://www.w3.org/2000/svg",name2):document.createElement(
name2);for(let[key,value]of Object.entries(attributes))one.setAttribute(key,value);return one.append(...children),one}var mark=()=>[
make("i",{class:"methods-mark",hidden:""}),make("output",{class:"methods-value"})],Screen=class{constructor(root,run=()=>{}){this.
root=root,this.run=run,this.told=null,this.figures=new Map,this.maps=new Map,this.chosen="",this.toldOf="",this.point=null,this.listen()}all(css){
return[...this.root.querySelectorAll(css)]}show(told2){let keyed=({name:name2,maps})=>maps.map((one,number2)=>[`${name2} ${number2}`,
{...one,method:name2}]);this.told=told2,this.maps=new Map(told2.methods.flatMap(keyed)),this.toldOf="",this.maps.has(this.chosen)||
(this.chosen=this.maps.keys().next().value??""),this.root.children.length||this.build(),this.lay();let figures=told2.methods.map(one=>this.
figureOf(one)),grid=this.root.querySelector(".methods-grid");(figures.some((one,at)=>grid.children[at]!==one)||grid.children.length!==
figures.length)&&grid.replaceChildren(...figures),this.root.querySelector("#methods-curves").replaceChildren(...this.charts()),this.
chosen&&this.choose(this.chosen)}build(){let{words,strips}=this.told,[one,two]=strips.map(src=>make("img",{alt:"",src})),ends=["ag\
ainst","for"].map(end=>make("i",{},words[end])),scale=make("span",{class:"methods-scale"},ends[0],make("span"),one,two,make("span"),
ends[1]),about={class:"methods-picture",tabindex:"0",role:"application","aria-label":words.large},said={class:"methods-told",tabindex:"\
0",role:"region","aria-label":words.said};this.root.append(make("div",{class:"methods-large"},make("div",about,make("img",{alt:""}),
...mark(),scale)),make("div",{class:"methods-grid",role:"group",tabindex:"0","aria-label":words.all}),make("div",said,make("sectio\
n"),make("output",{class:"methods-here"})),make("div",{id:"methods-curves"}))}lay(){let{methods,aspect}=this.told,columns=methods.
some(({maps})=>maps.length>1)||methods.length>10?6:Math.max(4,Math.ceil(methods.length/2)),rows=Math.min(MOST_ROWS,Math.ceil(methods.
length/columns));for(let[name2,value]of Object.entries({aspect,columns,rows}))this.root.style.setProperty(`--${name2}`,String(value))}figureOf(one){
let known3=this.figures.get(one.name),of=JSON.stringify([one.title,one.tag,one.waits,one.maps.map(({src,label})=>[src,label])]);if(known3?.
of===of)return known3.figure;let{name:name2,title,tag,maps}=one,isWide=maps.length>1,buttons=maps.map(({src,alt,label},number2)=>{
let key=`${name2} ${number2}`,picture=make("span",{class:"methods-picture","data-map":key},make("img",{alt,src}),...mark());return make(
"button",{type:"button","data-map":key,"aria-pressed":"false"},picture,...isWide?[make("small",{},label)]:[])}),figure=make("figur\
e",{class:isWide?"methods-wide":"","data-method":name2},make("div",{},...maps.length?buttons:[this.waiting(one)]),make("figcaption",
{title},make("b",{},title),...isWide?[]:[this.tagOf(one,tag)])),hadFocus=known3?.figure.contains(document.activeElement);return known3?.
figure.replaceWith(figure),hadFocus&&figure.querySelector("button")?.focus(),this.figures.set(name2,{of,figure}),figure}tagOf({isOfClass},tag){
return make("span",{class:"methods-tag","data-of-class":String(isOfClass)},tag)}waiting({name:name2,title,waits}){let{said="",runs=!1}=waits??
{},box=make("span",{class:"methods-picture methods-waits"},make("span",{},runs?`▶ ${said}`:said)),button=make("button",{type:"bu\
tton","data-run":name2,"aria-label":`${title}: ${said}`,...runs?{}:{disabled:""}},box);return button.addEventListener("click",()=>this.
run(name2)),button}charts(){let{charts,note}=this.told;return charts.length?charts.map((some,number2)=>make("div",{class:"methods-\
charts","data-class":String(number2),...number2?{hidden:""}:{}},...some.map(one=>this.chart(one)),...note&&some[0].band.length?[make(
"p",{},make("i"),` ${note}`)]:[])):[make("p",{},note)]}chart({which,title,up,along,name:name2,bounds,lines,band}){let[low,high]=bounds,
at=(share2,value)=>`${(100*share2).toFixed(2)},${(100*(high-value)/(high-low)).toFixed(3)}`,drawing=make("svg",{viewBox:"0 0 100 1\
00",preserveAspectRatio:"none"});if(band.length){let there=band.map(([share2,lowest])=>at(share2,lowest)),back=band.map(([share2,,
highest])=>at(share2,highest)).reverse();drawing.append(make("polygon",{points:[...there,...back].join(" ")}))}for(let{method,isRandom,
points}of lines){let drawn2=points.map(([share2,value])=>at(share2,value)).join(" ");drawing.append(make("polyline",{"data-line":method,
class:isRandom?"is-random":"",points:drawn2}))}let term=make("span",{role:"button",tabindex:"0","data-term":"deletion"},title),ends=[
high,low].map(end=>make("span",{},String(Number(end.toPrecision(3)))));return make("figure",{"data-which":which},make("figcaption",
{},term,`: ${up}`),make("div",{class:"methods-plot"},...ends,make("div",{role:"img","aria-label":name2},drawing),make("b",{class:"\
methods-line"})),make("div",{class:"methods-along"},...["0 %",along,"100 %"].map(said=>make("span",{},said))))}cellOf(scores){let[
left,top,right,bottom]=this.told.window,col=Math.floor((this.point[0]-left)/(right-left)*scores[0].length),row=Math.floor((this.point[1]-
top)/(bottom-top)*scores.length);return scores[row]?.[col]===void 0?null:[row,col]}mark(to){this.point=to;let[left,top,right,bottom]=this.
told.window,percent2=(from,size)=>[`${100*from}%`,`${100*size}%`];for(let picture of this.all(".methods-picture[data-map]")){let{scores}=this.
maps.get(picture.dataset.map),cell=to&&this.cellOf(scores),box=picture.querySelector(".methods-mark"),value=cell?written2(scores[cell[0]][cell[1]],
this.told.words):"";if(box.hidden=!cell,picture.querySelector(".methods-value").textContent=value,!cell)continue;let[high,wide]=[(bottom-
top)/scores.length,(right-left)/scores[0].length];[box.style.left,box.style.width]=percent2(left+cell[1]*wide,wide),[box.style.top,
box.style.height]=percent2(top+cell[0]*high,high),box.dataset.cell=cell.join(",")}this.sayHere()}sayHere(){let scores=this.point&&
this.maps.get(this.toldOf)?.scores,cell=scores&&this.cellOf(scores),here=cell&&{row:cell[0]+1,col:cell[1]+1,value:written2(scores[cell[0]][cell[1]],
this.told.words)},said=here?this.told.words.here.replace(/\{(\w+)\}/g,(_,name2)=>String(here[name2])):"";this.root.querySelector("\
.methods-here").textContent=said}tell(key){if(key===this.toldOf)return;this.toldOf=key;let map=this.maps.get(key),method=this.told.
methods.find(({name:name2})=>name2===map.method),{title,tag,sentence,numbers,notes,paper}=map.told,measured=numbers.map(({title:title2,
value,beaten})=>make("li",{},`${title2} `,make("b",{},value),...beaten?[" ",make("small",{},beaten)]:[])),section=make("section",{
"data-told":key},...key===this.chosen?[]:[make("img",{class:"methods-of",alt:"",src:map.src})],make("h3",{},`${title} `,...tag?[this.
tagOf(method,tag)]:[]),make("p",{},sentence),...measured.length?[make("ul",{class:"methods-areas"},...measured)]:[],...notes.map(one=>make(
"p",{class:"methods-note"},one)),...paper?[make("small",{},paper)]:[]);this.root.querySelector(".methods-told section").replaceWith(
section),this.sayHere();for(let one of this.all("[data-class].methods-charts"))one.hidden=Number(one.dataset.class)!==map.charts;for(let one of this.
all("polyline[data-line]"))one.classList.toggle("is-shown",one.dataset.line===map.method),one.dataset.line===map.method&&one.parentElement.
append(one);for(let one of this.all(".methods-line"))one.textContent=method.title}choose(key){this.chosen=key,this.toldOf="";let{src,
alt,bounds}=this.maps.get(key);for(let one of this.all("button[data-map]"))one.setAttribute("aria-pressed",String(one.dataset.map===
key));let large=this.root.querySelector(".methods-large .methods-picture");Object.assign(large.querySelector("img"),{src,alt}),large.
dataset.map=key;let scale=large.querySelector(".methods-scale");scale.dataset.signed=String(Number.parseFloat(bounds[0])<0),scale.
querySelectorAll("span").forEach((one,at)=>one.textContent=bounds[at]),this.tell(key),this.mark(this.point)}nearest(event,chart){let area=chart.
getBoundingClientRect(),[x,y]=[100*(event.clientX-area.left)/area.width,100*(event.clientY-area.top)/area.height],farOf=line=>{let points=line.
getAttribute("points").split(" ").map(one=>one.split(",").map(Number)),at=Math.max(1,points.findIndex(one=>one[0]>=x)),[[x0,y0],[x1,
y1]]=points.slice(at-1,at+1);return Math.abs(y0+(y1-y0)*(x-x0)/(x1-x0)-y)},lines=[...chart.querySelectorAll("polyline")].map(line=>({
far:farOf(line),method:line.dataset.line})),{method}=lines.reduce((best,one)=>one.far<best.far?one:best),of=Number(chart.closest("\
.methods-charts").dataset.class),some=[...this.maps].filter(([,one])=>one.method===method);return(some.find(([,one])=>one.charts===
of)??some[0])[0]}listen(){let{root}=this,near=(event,css)=>event.target instanceof Element?event.target.closest(css):null;root.addEventListener(
"pointermove",event=>{if(!this.chosen)return;let area=near(event,".methods-picture[data-map]")?.getBoundingClientRect();area?this.
mark([(event.clientX-area.left)/area.width,(event.clientY-area.top)/area.height]):this.point&&this.mark(null);let chart=near(event,
".methods-plot svg");chart&&this.tell(this.nearest(event,chart))}),root.addEventListener("pointerleave",()=>this.chosen&&(this.mark(
null),this.tell(this.chosen)));for(let kind of["mouseover","focusin"])root.addEventListener(kind,event=>{this.chosen&&!near(event,
".methods-plot svg")&&this.tell(near(event,"button[data-map]")?.dataset.map??this.chosen)});root.addEventListener("click",event=>{
let button=near(event,"button[data-map]"),chart=near(event,".methods-plot svg");button?this.choose(button.dataset.map):chart&&this.
chosen&&this.choose(this.nearest(event,chart))}),root.addEventListener("keydown",event=>{let step=ARROWS[event.key];if(!step||!this.
chosen||!near(event,".methods-large .methods-picture"))return;event.preventDefault();let[left,top,right,bottom]=this.told.window,{
scores}=this.maps.get(this.chosen),before=this.point,[x,y]=before??[(left+right)/2,(top+bottom)/2],wide=(right-left)/scores[0].length,
high=(bottom-top)/scores.length;this.point=before?[x+step[0]*wide,y+step[1]*high]:[x+wide/2,y+high/2],this.mark(this.cellOf(scores)?
this.point:before)})}};function sortable(root){root.addEventListener("click",({target:target2})=>{let head=target2 instanceof Element?target2.closest("th"):
null;if(!head)return;let isDown=head.ariaSort!=="descending";for(let one of root.querySelectorAll("th"))one.ariaSort=null;head.ariaSort=
isDown?"descending":"ascending";let body=root.querySelector("tbody"),text=row=>row.cells[head.cellIndex].textContent,order=(a,b)=>Number(
text(a))-Number(text(b))||text(a).localeCompare(text(b));body.append(...[...body.rows].sort((a,b)=>isDown?order(b,a):order(a,b)))})}function made(name2,properties={},...children){let{data={},role,...own}=properties,one=Object.assign(document.createElement(name2),
own);return Object.assign(one.dataset,data),role&&one.setAttribute("role",role),one.append(...children),one}var filled2=(said,values)=>said.
replace(/\{(\w+)\}/g,(_,name2)=>String(values[name2]??"")),SIGNS={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"},escaped2=text=>text.
replace(/[&<>"]/g,sign=>SIGNS[sign]);var DARK3=.85;function ranks(values){let order=Array.from(values,(_,i)=>i).sort((a,b)=>values[a]-values[b]),found=new Float64Array(
values.length);for(let from=0;from<order.length;){let to=from;for(;to<order.length&&values[order[to]]===values[order[from]];)to+=1;
for(let i=from;i<to;i++)found[order[i]]=(from+to-1)/2;from=to}return found}function rankCorrelation(maps){let centred=maps.map(values=>ranks(
values).map(one=>one-(values.length-1)/2)),dot=(a,b)=>a.reduce((sum,one,i)=>sum+one*b[i],0),lengths=centred.map(one=>Math.sqrt(dot(
one,one))||NaN);return centred.map((a,i)=>centred.map((b,j)=>i===j?1:dot(a,b)/(lengths[i]*lengths[j])))}function agreement(root,{methods,
of,payload},page,colourOf){let here=methods.filter(({name:name2})=>String(of(name2)?.grid??payload.grid)===String(payload.grid)&&of(
name2)),maps=here.map(({name:name2})=>of(name2).values),shown=here.map(({name:name2},at)=>[name2,maps[at]]);if(root.dataset.of===String(
shown.map(([name2])=>name2))&&same2(known.get(root),maps))return;root.dataset.of=String(shown.map(([name2])=>name2)),known.set(root,
maps);let found=rankCorrelation(maps),head=(title,scope)=>made("th",{scope},made("span",{},title)),cell=value=>{let text=Number.isNaN(
value)?"–":value.toFixed(2).replace("1.00","1").replace("0.","."),one=made("td",{},text);return Number.isNaN(value)||(one.style.
background=colourOf((1+value)/2)),one.style.color=Math.abs(value)>DARK3?"white":"black",one},rows=found.map((values,at)=>made("tr",
{},head(here[at].title,"row"),...values.map(cell))),heads=made("tr",{},made("td"),...here.map(({title})=>head(title,"col")));root.
replaceChildren(made("table",{ariaLabel:page.agreement},made("thead",{},heads),made("tbody",{},...rows)))}var known=new WeakMap,same2=(some,others)=>some?.
length===others.length&&some.every((one,i)=>one===others[i]);function drawer(root,button,box){let isOpen=()=>button.getAttribute("aria-expanded")==="true",open2=to=>{button.setAttribute("aria\
-expanded",String(to)),box.classList.toggle("is-open",to)};button.setAttribute("aria-controls",box.id),open2(!1),button.addEventListener(
"click",()=>open2(!isOpen())),document.addEventListener("pointerdown",({target:target2})=>{target2 instanceof Node&&!button.contains(
target2)&&!box.contains(target2)&&open2(!1)}),root.addEventListener("keydown",({key})=>{key!=="Escape"||!isOpen()||(open2(!1),button.
focus())})}var Fields=class{constructor(desk,methods,changed){this.source=desk.source,this.changed=changed,this.of=new Map;let some=methods.filter(
({fields=[]})=>fields.length);this.boxes=new Map(some.map(one=>[one.name,this.box(one)])),this.root=made("div",{},made("p",{},desk.
words.page.settings_help),made("div",{id:"methods-boxes"},...this.boxes.values()))}box({name:name2,title,fields=[]}){let controls=fields.
map(field=>({field,control:controlOf(field)})),box=made("fieldset",{data:{method:name2}},made("legend",{},title));for(let{field,control}of controls){
let about=made("small",{id:`about-${name2}-${field.name}`},field.about),label=made("label",{id:`settings-${name2}-${field.name}`},
made("b",{},field.title),control,about);control.setAttribute("aria-describedby",about.id),control.addEventListener("change",()=>this.
set(name2,controls,control)),box.append(label)}return box}async set(method,controls,control){let now=controls.map(({field,control:one})=>[
field,valueOf(field,one)]),written3=Object.fromEntries(now.filter(([field,value])=>value!==field.value).map(([{name:name2},value])=>[
name2,value])),why="";try{({why=""}=await this.source.settings(method,written3))}catch(error){why=error.message}if(control.setAttribute(
"aria-invalid",String(!!why)),why)return this.changed.refused(why);for(let{control:one}of controls)one.removeAttribute("aria-inval\
id");return Object.keys(written3).length?this.of.set(method,written3):this.of.delete(method),this.changed.set(method)}show(ticked){
for(let[name2,box]of this.boxes)box.hidden=!ticked.has(name2)}};function controlOf({kind,choices,value}){if(kind==="choice"){let select=made(
"select",{},...choices.map(one=>new Option(one,one)));return select.value=value,select}return kind==="flag"?made("input",{type:"ch\
eckbox",checked:value}):made("input",{type:"text",inputMode:kind==="number"?"decimal":"numeric",value:String(value),autocomplete:"\
off"})}function valueOf({kind},control){if(kind==="flag")return control.checked;let text=control.value.trim();return kind==="numbe\
r"&&text&&Number.isFinite(Number(text))?Number(text):text}var KINDS=["class","every","slow"],FILLS=["mean","blur"],NOBODY="",kindOf=({isSlow,ofClass})=>isSlow?"slow":ofClass?"class":"every",
Choice=class{constructor(root,button,desk,changed){let{methods,page}=desk.words;this.words=desk.words,this.root=root,this.button=button,
this.offered=methods.here.filter(({isBaseline})=>!isBaseline),this.ticked=new Set(this.offered.filter(({isChosen=!0})=>isChosen).map(
({name:name2})=>name2)),this.fill=FILLS[0],this.groups=new Map(KINDS.map(kind=>[kind,this.group(kind,changed)])),this.other=made("\
select",{id:"methods-other"}),this.other.addEventListener("change",()=>changed.compared()),this.targets=[];let isAble=what=>desk.source.
compares.includes(what);this.fields=isAble("settings")?new Fields(desk,this.offered,changed):null,this.root.append(...this.groups.
values(),...methods.lacking?[made("p",{id:"methods-lacking",innerHTML:methods.lacking})]:[],made("div",{id:"methods-choice"},this.
labelled(this.other,"other"),...isAble("fill")?[this.fills(changed)]:[]),made("details",{id:"methods-what"},made("summary",{},page.
what),this.what()),...this.fields?[made("details",{id:"methods-settings"},made("summary",{},page.settings),this.fields.root)]:[]),
this.say(),drawer(root.parentElement,button,root)}group(kind,changed){let some=this.offered.filter(one=>kindOf(one)===kind),boxes=some.
map(({name:name2})=>{let box=made("input",{type:"checkbox",value:name2,checked:this.ticked.has(name2)});return box.addEventListener(
"change",()=>{this.ticked[box.checked?"add":"delete"](name2),this.say(),changed.ticked(name2)}),made("label",{},box,made("span"))}),
legend=made("legend",{},this.words.page[`kind_${kind}`]);return made("fieldset",{id:`methods-${kind}`,hidden:!some.length},legend,
...boxes)}fills(changed){let{page}=this.words,boxes=FILLS.map(fill=>{let box=made("input",{type:"radio",name:"methods-empty",value:fill,
checked:fill===this.fill});return box.addEventListener("change",()=>{this.fill=fill,changed.filled()}),made("label",{},box,page[`e\
mpty_${fill}`])});return made("fieldset",{id:"methods-empty",title:page.empty_help},made("legend",{},page.empty),...boxes)}labelled(control,key){
let{page}=this.words;return made("label",{className:"field",title:page[`${key}_help`]},made("span",{className:"label"},page[key]),
control)}what(){let{named}=this.words.page,said=({title,sentence})=>filled2(named,{name:escaped2(title),said:escaped2(sentence)}),
items=this.offered.map(one=>made("li",{innerHTML:`${said(one)} <i>${escaped2(one.paper)}</i>`}));return made("ul",{className:"meth\
ods-what"},...items)}follow({notHere,hasTarget}){let{page}=this.words;for(let[kind,group]of this.groups){for(let label of group.querySelectorAll(
"label")){let{name:name2,title,ofClass}=this.offered.find(one=>one.name===label.querySelector("input").value),of=kind==="slow"&&!ofClass?
filled2(page.name_every_class,{method:title}):title;label.querySelector("span").textContent=notHere.includes(name2)?filled2(page.name_not_here,
{method:of}):of,label.hidden=ofClass&&!hasTarget}group.hidden=!group.querySelector("label:not([hidden])")}this.say()}say(){let count=this.
root.querySelectorAll("label:not([hidden]) > input[type=checkbox][value]:checked").length;this.button.textContent=filled2(this.words.
page.methods_chip,{n:count||this.ticked.size}),this.fields?.show(this.ticked)}compare(targets){let before=this.compared;this.targets=
targets;let options=targets.map(({label},at)=>new Option(label,String(at)));this.other.replaceChildren(new Option(this.words.page.
nobody,NOBODY),...options),this.other.value=targets.includes(before)?String(targets.indexOf(before)):NOBODY,this.other.disabled=!targets.
length}get compared(){return this.other.value===NOBODY?null:this.targets[Number(this.other.value)]??null}settings(names){return Object.
fromEntries(names.flatMap(name2=>this.fields?.of.has(name2)?[[name2,this.fields.of.get(name2)]]:[]))}};var known2=new WeakMap;function difference(one,other){let[a,b]=[one,other].map(values=>Array.from(values).reduce((most,value)=>Math.
max(most,Math.abs(value)),0)||1);return Float64Array.from(one,(value,i)=>value/a-other[i]/b)}function apart(painter,first,second){
let of=known2.get(first.values)??new WeakMap;if(known2.set(first.values,of),!of.has(second.values)){let values=difference(first.values,
second.values);of.set(second.values,{values,...painter.paint({isSigned:!0,values,grid:first.grid})})}return of.get(second.values)}function csv(rows){let field=value=>{let said=value===!0?"True":value===!1?"False":String(value);return/[",\n]/.test(said)?`"${said.
replaceAll('"','""')}"`:said};return[Object.keys(rows[0]),...rows.map(row=>Object.values(row))].map(line=>`${line.map(field).join(
",")}
`).join("")}function download(file,name2){let link=document.createElement("a");link.href=URL.createObjectURL(file),link.download=name2,
link.click(),setTimeout(()=>URL.revokeObjectURL(link.href),6e4)}var MEASURES=["deletion","insertion"];function asGood(own,drawn2,measure){let loss=area=>MEASURES[measure]==="deletion"?area:-area;
return drawn2.filter(({areas})=>loss(areas[measure])<=loss(own.coarse[measure])).length}var beats=(met,orders)=>(1+met)/(1+orders)<=
CHANCE_LEVEL;function owed(own,drawn2){let met=own.flatMap(one=>MEASURES.map((_,measure)=>asGood(one,drawn2,measure)));return drawn2.
length>0&&met.length>0&&!beats(Math.min(...met),ORDERS)?0:Math.min(ORDERS_AT_ONCE,ORDERS-drawn2.length)}function needed(own,drawn2){
let count=0;for(;count<drawn2.length&&owed(own,drawn2.slice(0,count));)count+=ORDERS_AT_ONCE;return drawn2.slice(0,count)}function meanOf(drawn2){
let mean=which=>drawn2[0][which].map((_,i)=>drawn2.reduce((sum,one)=>sum+one[which][i],0)/drawn2.length),[deletion,insertion,areas,
coarse]=["deletion","insertion","areas","coarse"].map(mean);return{share:drawn2[0].share,deletion,insertion,areas,coarse}}var RANDOM="random",digits=value=>String(Number(value.toPrecision(3)));function told(results,{page,export:own,methods:about},second=null){
let{methods,isAsked,label,payload,strips}=results,{width,height}=payload.bitmap,names={large:"large",all:"all_maps",said:"said_of_\
map",here:"patch_value",hidden:"patch_hidden",against:"bar_against",for:"bar_for"},tagOf=({ofClass},label2)=>ofClass?filled2(page.
for_class,{label:label2}):page.every_class,{drawn:drawn2}=results;return{window:payload.window,aspect:width/height,words:Object.fromEntries(
Object.entries(names).map(([name2,key])=>[name2,page[key]])),strips,methods:methods.map(one=>({name:one.name,title:one.title,tag:tagOf(
one,label),isOfClass:one.ofClass,waits:one.isSlow&&!isAsked(one.name)?{said:own.methodsSlow,runs:!0}:{said:"…",runs:!1},maps:mapsOf(
one)})),charts:[results,second].map(one=>one&&drawnCharts(one,page)).filter(some=>some?.length),note:label?drawn2.length?filled2(page.
band,{n:drawn2.length}):"":page.no_curves};function mapsOf(method){let[first,other]=[results,second].map(one=>one?.of(method.name));
if(!first)return[];let maps=[mapOf(method,first,results,0)];if(!other||!method.ofClass)return maps;let label2=`${results.label} − ${second.
label}`,title=`${method.title}: ${label2}`,apart2={...first,...results.apart(first,other),hidden:null},said={title,tag:"",sentence:page.
scale_apart,numbers:[],notes:[],paper:""};return[...maps,mapOf(method,other,second,1),{...mapOf(method,apart2,results,0),alt:title,
label:label2,told:said}]}function mapOf(method,found,of,charts){let{values,src,bounds,grid=payload.grid,hidden=null,notes=[]}=found,
[rows,cols]=grid,isMean=method.name===RANDOM&&of.drawn.length>1,valueAt=i=>hidden?.[i]?null:values[i];return{alt:method.ofClass&&of.
label?`${method.title}: ${of.label}`:method.title,label:of.label,src,bounds:bounds.map(digits),scores:Array.from({length:rows},(_,row)=>Array.
from({length:cols},(_2,col)=>valueAt(row*cols+col))),charts,told:{title:isMean?filled2(page.random_orders,{title:method.title,n:of.
drawn.length}):method.title,tag:tagOf(method,of.label),sentence:method.sentence,numbers:numbersOf(method,found,of),notes,paper:filled2(
page.paper,{paper:method.paper})}}}function numbersOf({name:name2},{curves,measured={}},{drawn:drawn3}){let isCompared=drawn3.length>
1&&name2!==RANDOM,beaten=at=>filled2(page.beaten,{n:drawn3.length-asGood(curves,drawn3,at),of:drawn3.length}),areas=curves?MEASURES.
map((measure,at)=>({title:page[measure],value:curves.areas[at].toFixed(3),beaten:isCompared?beaten(at):""})):[],metrics=(about?.columns??
[]).filter(one=>measured[one.name]!==void 0);return[...areas,...metrics.map(({name:name3,title})=>({title,value:measured[name3].toFixed(
3),beaten:""}))]}}function drawnCharts({methods,of,drawn:drawn2,up},page){let judged2=methods.filter(({name:name2})=>of(name2)?.curves).
map(({name:name2})=>({name:name2,curves:of(name2).curves}));if(!judged2.length)return[];let all=judged2.flatMap(({curves})=>[...curves.
deletion,...curves.insertion]),bounds=[Math.min(0,...all),Math.max(1,...all)];return MEASURES.map(which=>({which,title:filled2(page[which===
"deletion"?"column_lower":"column_higher"],{title:page[which]}),up,along:page[`${which}_x`],name:filled2(page.chart_lines,{title:page[which],
x:page[`${which}_x`],y:up}),bounds,lines:judged2.map(({name:name2,curves})=>({method:name2,isRandom:name2===RANDOM,points:curves.share.
map((share2,i)=>[share2,curves[which][i]])})),band:bandOf(which)}));function bandOf(which){if(!drawn2.length)return[];let at=i=>drawn2.
map(one=>one[which][i]);return drawn2[0].share.map((share2,i)=>[share2,Math.min(...at(i)),Math.max(...at(i))])}}var chanceOf=drawn2=>drawn2.
length?meanOf(drawn2):null;function resultsOf({found,drawn:all,label},methods,about){let informed=methods.flatMap(({name:name2,isBaseline})=>!isBaseline&&found.
get(name2)?.curves||[]),drawn2=needed(informed,all),random=found.get(RANDOM);return{methods,of:name2=>name2===RANDOM&&random?{...random,
curves:chanceOf(drawn2)}:found.get(name2),drawn:drawn2,label,...about}}var judged=({methods,of})=>methods.filter(({name:name2})=>of(
name2)?.curves);function rowsOf(all,{page,methods:{columns=[]}}){let measured=columns.filter(({name:name2})=>all[0].methods.some(one=>all[0].of(one.
name)?.measured?.[name2]!==void 0)),areas=[["lower","deletion"],["higher","insertion"]].map(([way,measure])=>filled2(page[`column_${way}`],
{title:page[measure]})),headers=[page.column_method,page.column_explains,...areas,...measured.map(({header})=>header)],rows=all.flatMap(
results=>{let{label,drawn:drawn2}=results,alike2=all.length>1?filled2(page.every_class_by,{label}):page.every_class;return judged(
results).map(({name:name2,title,ofClass})=>{let{curves,measured:its={}}=results.of(name2),isMean=name2===RANDOM&&drawn2.length>1,values=[
...curves.areas,...measured.map(one=>its[one.name])];return{name:name2,cells:[isMean?filled2(page.random_orders,{title,n:drawn2.length}):
title,ofClass?label:alike2,...values.map(value=>value?.toFixed(3)??"")]}})});return{headers,rows}}function table(root,all,words){let{
headers,rows}=rowsOf(all,words),of=JSON.stringify([headers,rows]);if(root.dataset.of===of)return;root.dataset.of=of;let heads=headers.
map(text=>made("th",{scope:"col"},made("button",{type:"button"},text))),body=rows.map(({name:name2,cells})=>made("tr",{data:{method:name2}},
...cells.map(text=>made("td",{},text)))),whole=made("table",{},made("thead",{},made("tr",{},...heads)),made("tbody",{},...body));root.
replaceChildren(...rows.length?[whole]:[])}function save(all,model,picture){let rows=all.flatMap(results=>{let{of,drawn:drawn2,label}=results;
return judged(results).map(({name:name2,ofClass})=>{let{curves}=of(name2),over=at=>name2===RANDOM||drawn2.length<2?"":(drawn2.length-
asGood(curves,drawn2,at))/drawn2.length,compared=Object.fromEntries(MEASURES.map((measure,at)=>[`${measure} over random`,over(at)])),
[deletion,insertion]=curves.areas;return{model,class:label,method:name2,class_specific:ofClass,deletion,insertion,...compared}})});
download(new Blob([csv(rows)],{type:"text/csv"}),nameOf(model,picture,"csv"))}var nameOf=(model,picture,kind)=>`${joined([pictureName(
picture),modelName(model),"methods"])}.${kind}`;function files(root,desk,{results,asked:asked2,make:make2}){let{page,viewer,methods}=desk.words,isMade=desk.source.compares.includes(
"files"),names={csv:page.save_csv,...isMade?{png:page.save_png,npz:page.save_npz}:{}},buttons=Object.entries(names).map(([kind,title])=>{
let button=made("button",{type:"button",id:`methods-${kind}`},title);return button.addEventListener("click",()=>isMade?give(kind,title,
button):save(results(),desk.shown.model,desk.title)),button}),widths=(methods.widths??[]).map(one=>new Option(filled2(page.save_width,
{width:one}),String(one))),width=made("select",{id:"methods-width",ariaLabel:page.save_width_label,title:page.save_width_label},...widths),
link=made("button",{type:"button",className:"copy-link"},viewer.copy_link);root.append(...buttons,...widths.length?[width]:[],link);
async function give(kind,title,button){let what={file:kind,...kind==="png"?{width:Number(width.value)}:{},...asked2()},answer=await make2(
what,title);answer&&(answer.isEnglish&&(button.textContent=page.save_png_english),download(answer.file,nameOf(desk.shown.model,desk.
title,kind)))}return isReady=>{for(let one of buttons)one.disabled=!isReady}}var COLOURS2=["#1f77b4","#ff7f0e","#2ca02c","#d62728","#9467bd","#8c564b","#e377c2","#bcbd22","#17becf"],DASHES=["","7 4","2 3"],NS="\
http://www.w3.org/2000/svg";function forgetting(root,{stages,left},methods,page){let lines=methods.filter(({name:name2})=>left[name2]).
map(one=>({...one,values:[1,...left[one.name]],...strokeOf(methods.indexOf(one))})),low=Math.min(0,...lines.flatMap(({values})=>values.
filter(value=>value!==null)))-.05,drawing=document.createElementNS(NS,"svg");drawing.setAttribute("viewBox","0 0 100 100"),drawing.
setAttribute("preserveAspectRatio","none");for(let{name:name2,values,colour,dashes}of lines){let at=(value,i)=>[100*i/stages.length,
100*(1.05-value)/(1.05-low)].join(","),line=document.createElementNS(NS,"polyline"),points=values.map((value,i)=>value===null?"":at(
value,i)).filter(Boolean),looks={id:`line-${name2}`,points:points.join(" "),stroke:colour,"stroke-dasharray":dashes};for(let[key,value]of Object.
entries(looks))line.setAttribute(key,value);drawing.append(line)}let said=page.chart_lines.replace("{title}",page.forget).replace(
"{x}",page.forget_x).replace("{y}",page.forget_y),marks=[1,0].map(value=>{let mark2=made("span",{},String(value));return mark2.style.
top=`${100*(1.05-value)/(1.05-low)}%`,mark2}),plot=made("div",{className:"methods-left",role:"img",ariaLabel:said},drawing,...marks),
along=made("ol",{},...[page.stage_none,...stages].map(stage=>made("li",{},made("span",{},stage)))),legend=made("ul",{className:"me\
thods-legend"},...lines.map(entry));legend.addEventListener("mouseover",({target:target2})=>fade(target2.closest("li")?.dataset.line)),
legend.addEventListener("mouseleave",()=>fade(void 0)),root.replaceChildren(made("div",{className:"methods-lines"},made("p",{},page.
forget_y),plot,along,made("p",{},page.forget_x)),legend);function fade(name2){for(let one of drawing.querySelectorAll("polyline"))
one.style.opacity=!name2||one.id===`line-${name2}`?"1":"0.15"}}function entry({name:name2,title,colour,dashes}){let sample=made("i");
return sample.style.borderTop=`3px ${dashes?"dashed":"solid"} ${colour}`,made("li",{data:{line:name2}},sample,title)}var strokeOf=number2=>({
colour:COLOURS2[number2%COLOURS2.length],dashes:DASHES[Math.floor(number2/COLOURS2.length)%DASHES.length]});var SIDE=448,Painter=class{constructor({colours,twoSided}){this.canvas=document.createElement("canvas"),this.plain=new ColourMap(Object.
values(colours)[0]),this.for=new ColourMap(twoSided.for),this.against=new ColourMap(twoSided.against),this.signed=share2=>(share2<
.5?this.against:this.for).css(Math.abs(2*share2-1)),this.strips=[this.plain,{css:this.signed}].map(one=>barOf(one).toDataURL())}setPicture(payload){
let{width,height}=payload.bitmap,scale=SIDE/Math.max(width,height);this.stage=new Stage(this.canvas,{width:Math.round(width*scale),
height:Math.round(height*scale),ratio:1}),this.stage.setPicture(payload),this.payload=payload}paint({isSigned,values,grid=this.payload.
grid,hidden=null}){let{stage,canvas,payload}=this,reach=hidden?.some(Boolean)?hidden.map(one=>!one):null,shown=values.map((one,i)=>hidden?.[i]?
0:one),top=Array.from(shown).reduce((most,one)=>Math.max(most,isSigned?Math.abs(one):one),0),layout={grid,first:0},view={queries:layout,
layout,high:top||1e-12,opacity:OPACITY,byValue:!0,marks:[],outlines:[]},rest={smooth:!1,showGrid:!1,reach,inputSize:payload.input};
if(stage.draw({...view,...rest,map:isSigned?this.for:this.plain,values}),isSigned){let context=canvas.getContext("2d");context.save(),
stage.clipToSeen(context,stage.inputBox()),stage.drawHeat(context,stage.inputBox(),{...view,...rest,map:this.against,values:values.
map(one=>-one)}),context.restore()}return{src:canvas.toDataURL(),bounds:[isSigned?-top:0,top]}}};var SURE=5,target=(index2,label,share2,lesson=null,sentence="")=>({index:index2,label,share:share2,lesson,sentence,found:new Map,asked:new Set,
drawn:[],skipped:new Map}),asked=({index:index2,lesson,sentence})=>({target:index2,lesson,...sentence?{sentence}:{}});function offer(select,things,classes,{
page,export:own}){let sure=share2=>`${(100*share2).toFixed(1)} %`,said=({label,share:share2})=>share2===null?filled2(page.largest_output,
{label}):`${label} · ${sure(share2)}`,option=(one,at,isSure)=>new Option(isSure?said(one):one.label,String(at)),ofThings=things.map(
(one,i)=>option({...one,label:own.methodsThing.replace("{thing}",()=>one.label)},i,!0)),ofClasses=classes.map((one,i)=>option(one,
things.length+i,i<SURE)),named=[[own.methodsThings,ofThings],[own.methodsClasses,ofClasses]].filter(([,options])=>options.length).
map(([label,options])=>{let group=Object.assign(document.createElement("optgroup"),{label});return group.append(...options),group});
select.replaceChildren(...things.length?named:ofClasses)}function alike(lesson,other){if(!lesson||!other)return lesson===other;let isSame=(one,values)=>one.
length===values?.length&&one.every((value,i)=>value===values[i]),{names,prototypes}=lesson;return isSame(names,other.names)&&prototypes.
every((one,i)=>isSame(one,other.prototypes[i]))}function verdict(results,{page,viewer}){let{of,drawn:drawn2}=results,informed=judged(results).filter(({isBaseline})=>!isBaseline),
curvesOf=({name:name2})=>of(name2).curves;if(drawn2.length<2||!informed.length||owed(informed.map(curvesOf),drawn2))return[];let listed2=some=>escaped2(
some.map(({title})=>title).join(viewer.list_comma)),told2=MEASURES.map((measure,at)=>{let area=one=>curvesOf(one).areas[at],loss=one=>measure===
"deletion"?area(one):-area(one),ranked=[...informed].sort((one,other)=>loss(one)-loss(other)),isBetter=one=>beats(asGood(curvesOf(
one),drawn2,at),drawn2.length),[better,worse]=[ranked.filter(isBetter),ranked.filter(one=>!isBetter(one))],[best,second=best]=ranked,
values={measure:page[measure],best:escaped2(best.title),area:area(best).toFixed(3),second:escaped2(second.title),apart:Math.abs(area(
best)-area(second)).toFixed(3),better:listed2(better),worse:listed2(worse)},than=better.length&&worse.length?"some":better.length?
"all":"none";return[filled2(page[ranked.length>1?"verdict_best":"verdict_alone"],values),filled2(page[`verdict_${than}`],values)].
join(viewer.sentence_gap)});return told2.push(filled2(page.verdict_help,{n:drawn2.length})),drawn2.length<ORDERS&&told2.push(filled2(
page.verdict_ended,{n:drawn2.length})),told2}var SOON=1500,Work=class{constructor(desk,painter,{parts,asks,draw,say}){this.parts=parts,this.asks=asks,this.draw=draw,this.say=say,
this.source=desk.source,this.words=desk.words,this.painter=painter,this.job=null}get next(){let parts=this.parts();for(let{target:target2,
wanted}of parts){let without=wanted.find(({name:name2})=>!target2.found.has(name2));if(without)return()=>this.make(target2,without)}
let measured=parts.filter(({hasTarget})=>hasTarget);for(let{target:target2,wanted}of measured){let unjudged=wanted.find(({name:name2})=>name2!==
RANDOM&&!target2.found.get(name2).curves);if(unjudged)return()=>this.judge(target2,unjudged)}for(let{target:target2,wanted}of measured){
let informed=wanted.filter(({isBaseline})=>!isBaseline).map(({name:name2})=>target2.found.get(name2).curves),count=owed(informed,target2.
drawn),random=wanted.find(({name:name2})=>name2===RANDOM);if(count&&random)return()=>this.draws(target2,random,count)}return null}go(){
return this.job?this.draw():this.again()}async again(){let job=this.job={};this.say(""),this.draw();try{for(let{next}=this;next;{next}=
this){if(!await next()||this.job!==job)return;this.draw()}this.say("")}catch(error){this.job===job&&this.say(error.message)}finally{
this.job===job&&(this.job=null),this.draw()}}async alone(call,what,name2){let job=this.job={};this.say(""),this.draw();try{let answer=await this.
asking(call,what,name2);return answer&&this.say(""),answer}catch(error){return this.job===job&&this.say(error.message),null}finally{
this.job===job&&(this.job=null),this.draw()}}end(){this.job=null}stop(){this.job=null,this.source.stop(),this.say(this.words.page.
stopped),this.draw()}async make(target2,method){let made2=await this.asking("explain",{method:method.name,...this.asks(target2,[method.
name])},method.title);if(!made2)return!1;if(made2.why)target2.skipped.set(method.name,made2.why);else{let map={...made2,isSigned:made2.
isSigned??method.isSigned};target2.found.set(method.name,{...map,...this.painter.paint(map),curves:null})}return!0}async judge(target2,{
name:name2,title}){let what={method:name2,scores:target2.found.get(name2).values,...this.asks(target2,[name2])},curves=await this.
asking("judge",what,filled2(this.words.export.methodsJudged,{method:title}));return curves&&target2.found.set(name2,{...target2.found.
get(name2),curves}),!!curves}async draws(target2,{title},count){let what={from:target2.drawn.length,count,...this.asks(target2,[])},
some=await this.asking("chance",what,filled2(this.words.export.methodsJudged,{method:title}));return some&&target2.drawn.push(...some),
!!some}async asking(call,what,name2){let{job}=this,begun=performance.now(),answer=await this.source.atLength(call,what,(share2,said=name2)=>{
if(this.job!==job)return;let spent=performance.now()-begun,left=share2>.02&&spent>SOON?spent/share2*(1-share2)/1e3:0,runs=this.words.
export[left>=1?"methodsLeft":"methodsRuns"];this.say(filled2(runs,{what:said,percent:Math.round(100*share2),seconds:Math.ceil(left)}))});
return this.job===job?answer:null}};var NOTHING_KNOWN={reads:!1,scores:!1,notHere:[]},MOST_LETTERS=200,Methods=class{constructor(root,desk){let{page,methods}=desk.words;
this.root=root,this.desk=desk,this.words=desk.words,this.all=methods.here,this.run="",this.classes=null,this.things=[],this.target=
target(null,"",0),this.lesson=null,this.here=NOTHING_KNOWN,root.innerHTML=`
      <div id="methods-heading"><h2></h2><div><details class="left" hidden><summary></summary><ul></ul></details><p class="scale">\
</p>
        <p class="taught"></p></div></div>
      <div id="methods-run">
        <label class="field"><span class="label"></span><select id="methods-target"></select></label>
        <label class="field" id="methods-sentence" hidden><span class="label"></span><input maxlength="${MOST_LETTERS}"></label>
        <button type="button" id="methods-chip"></button>
        <button type="button" id="methods-go"></button><button type="button" id="methods-stop"></button>
        <div id="methods-note"><p role="status"></p></div>
        <button type="button" id="methods-more"></button>
      </div>
      <div id="methods-pick" class="drawer"></div>
      <div id="methods-numbers" class="drawer"><div id="methods-files"></div><div id="methods-scores"></div>
        <div id="methods-table" tabindex="0" role="region"></div><p class="areas"></p><p class="truth"></p>
        <details id="methods-agreement"><summary></summary><p></p><div class="methods-matrix"></div></details>
        <details id="methods-forget"><summary></summary><p></p><button type="button" id="methods-forget-go"></button>
          <div id="methods-forgotten"></div></details>
        <p class="teach"></p><p class="elsewhere"></p></div>
      <div id="methods-maps"><div class="html-container"><div class="methods-screen"></div></div></div>`;let said={"#methods-run >\
 .field .label":page.target,"#methods-sentence .label":page.sentence,"#methods-go":page.compare,"#methods-stop":page.stop,"#method\
s-more":page.numbers,".scale":page.scale_own,".elsewhere":methods.elsewhere,"#methods-agreement summary":page.agreement,"#methods-\
agreement p":page.agreement_help,"#methods-forget summary":page.forget,"#methods-forget p":page.forget_help,"#methods-forget-go":page.
forget_go};for(let[css,text]of Object.entries(said))this.find(css).textContent=text;this.find(".areas").innerHTML=page.areas_help,
this.find("#methods-sentence").title=page.sentence_help,this.find("#methods-table").ariaLabel=page.table,this.find("#methods-forge\
t").hidden=!desk.source.compares.includes("forget"),this.painter=new Painter(desk.about),this.work=new Work(desk,this.painter,{parts:()=>this.
parts,asks:(of,names)=>this.asks(of,names),draw:()=>this.draw(),say:text=>this.say(text)}),this.choice=new Choice(this.find("#meth\
ods-pick"),this.find("#methods-chip"),desk,{ticked:name2=>this.ticked(name2),set:name2=>this.forgetMaps(name2),filled:()=>this.forgetCurves(),
compared:()=>this.work.again(),refused:text=>this.say(text)}),this.saves=files(this.find("#methods-files"),desk,{results:()=>this.
results,asked:()=>this.asksOfAll(),make:(what,name2)=>this.work.alone("files",what,name2)}),this.begin(),this.listen()}listen(){let{
state}=this.desk.viewer;this.find("#methods-go").addEventListener("click",()=>this.work.again()),this.find("#methods-stop").addEventListener(
"click",()=>this.work.stop()),this.find("#methods-forget-go").addEventListener("click",()=>this.forget()),this.find("#methods-targ\
et").addEventListener("change",()=>this.aim()),this.find("#methods-sentence input").addEventListener("change",()=>this.aim()),drawer(
this.root,this.find("#methods-more"),this.find("#methods-numbers")),sortable(this.find("#methods-table"));let taught=null;state.subscribe(
()=>{taught!==state.get("taught")&&this.follow(),taught=state.get("taught")})}get targets(){return[...this.things,...this.classes??
[]]}get hasTarget(){return this.target.index!==null||!!this.target.sentence}find(css){return this.root.querySelector(css)}begin(){
let empty=Object.assign(document.createElement("div"),{className:"methods-screen"});this.find(".methods-screen").replaceWith(empty),
this.find("#methods-forgotten").replaceChildren(),this.screen=new Screen(empty,name2=>this.ticked(name2))}async follow(){let{shown,
wanted,viewer}=this.desk,run=shown&&!wanted&&viewer?.payload?viewer.payload.run:"";if(this.run!==run&&(this.run="",this.work.end(),
this.classes=null,this.things=[],this.target={...target(null,"",0),label:this.target.label,lesson:this.target.lesson},this.lesson=
null,this.say("")),this.root.hidden||!run)return;let isLive=this.desk.source.runs(shown.model);this.run!==run?await this.open(run,
isLive):this.classes&&!alike(viewer.lesson,this.lesson)&&await this.learn()}async open(run,isLive){let{page,export:own}=this.words,
{source}=this.desk;this.run=run;for(let css of["#methods-run","#methods-maps","#methods-heading > div"])this.find(css).hidden=!isLive;
let notLive=()=>own.methodsNotLive.replace("{model}",this.desk.shown.model);if(this.find("h2").textContent=isLive?page.methods_hello:
notLive(),this.begin(),!!isLive){this.painter.setPicture(this.desk.viewer.payload);try{let here=source.compares.includes("here")?await source.
atLength("here",{run}):NOTHING_KNOWN,classes=here&&await source.atLength("classes",{run});if(this.run!==run||!classes)return;this.
here=here,this.classes=classes.map(([index2,label,share2])=>target(index2,label,share2))}catch(error){this.run===run&&this.say(error.
message);return}this.find("#methods-sentence").hidden=!this.here.reads,await this.learn()}}async learn(){let{run}=this,lesson=this.
lesson=this.desk.viewer.lesson,{shares=[]}=lesson?await this.desk.source.ask(["shares",run,lesson]):{};if(this.run!==run||this.lesson!==
lesson)return;this.things=Array.from(shares,(share2,i)=>target(i,lesson.names[i],share2,lesson));let before=this.target,same3=this.
things.find(({label})=>before.lesson&&label===before.label),kept2=this.classes.includes(before)?before:null,chosen2=same3??kept2??
this.classes[0]??this.things[0]??target(null,"",0);offer(this.find("#methods-target"),this.things,this.classes,this.words),this.find(
"#methods-target").value=String(this.targets.indexOf(chosen2)),this.find("#methods-run > .field").hidden=!this.targets.length,this.
choice.compare(this.targets),this.choice.follow({notHere:this.here.notHere,hasTarget:!!this.targets.length||this.here.reads}),this.
aim(chosen2)||this.work.go()}aim(chosen2=this.targets[Number(this.find("#methods-target").value)]??target(null,"",0)){let sentence=this.
here.reads?this.find("#methods-sentence input").value.trim():"",before=this.target;return sentence?before.sentence!==sentence&&(this.
target=target(null,sentence,null,null,sentence)):this.target=chosen2,this.target===before?!1:(this.find("#methods-forgotten").replaceChildren(),
this.work.again(),!0)}get methods(){let isChosen=({name:name2,isBaseline})=>isBaseline||this.choice.ticked.has(name2),isHere=({name:name2,
ofClass})=>(!ofClass||this.hasTarget)&&!this.target.skipped.has(name2);return this.all.filter(one=>isChosen(one)&&isHere(one))}get second(){
let{compared}=this.choice;return this.hasTarget&&compared!==this.target?compared:null}get parts(){let wanted=this.methods.filter(({
name:name2,isSlow})=>!isSlow||this.target.asked.has(name2)),{hasTarget,second}=this,ofBoth=wanted.filter(({name:name2,ofClass,isBaseline})=>(ofClass||
isBaseline)&&!second?.skipped.has(name2));return[{target:this.target,wanted,hasTarget},...second?[{target:second,wanted:ofBoth,hasTarget}]:
[]]}asks(of,names){return{run:this.run,...asked(of),settings:this.choice.settings(names),empty:this.choice.fill}}asksOfAll(){let names=this.
methods.filter(({name:name2,isBaseline})=>!isBaseline&&this.target.found.has(name2)).map(({name:name2})=>name2);return{...this.asks(
this.target,names),methods:names,...this.second?{other:asked(this.second)}:{}}}ticked(name2){this.choice.ticked.has(name2)&&this.target.
asked.add(name2),this.work.go()}forgetMaps(name2){for(let{found,skipped}of[...this.targets,this.target])found.delete(name2),skipped.
delete(name2);this.work.again()}forgetCurves(){for(let{found,drawn:drawn2}of[...this.targets,this.target]){for(let[name2,one]of found)
found.set(name2,{...one,curves:null});drawn2.length=0}this.work.again()}async forget(){let{target:target2}=this,{page}=this.words,
found=await this.work.alone("forget",this.asksOfAll(),page.forget_go);found&&this.target===target2&&forgetting(this.find("#methods\
-forgotten"),found,this.all,page)}get results(){let{payload}=this.desk.viewer;return this.parts.map(({target:of,wanted},at)=>{let isScore=of.
sentence||this.here.scores,up=of.lesson?this.words.export.methodsShare:this.words.page[isScore?"curve_y_score":"curve_y"];return resultsOf(
of,at?wanted:this.methods,{isAsked:name2=>this.target.asked.has(name2),up:up.replace("{label}",()=>of.label),payload,strips:this.painter.
strips,apart:(one,other)=>apart(this.painter,one,other)})})}say(text){this.find("#methods-note p").textContent=text}draw(){let{run,
work,words}=this,{page}=words,{results}=this,[first,second=null]=results,isJudged=judged(first).length>0;this.find("#methods-stop").
disabled=!work.job,this.find("#methods-go").disabled=!!work.job||!this.classes||!work.next,this.find("#methods-more").disabled=!isJudged,
this.find("#methods-forget-go").disabled=!!work.job,this.saves(isJudged&&!work.job),run&&this.classes&&this.screen.show(told(first,
words,second)),table(this.find("#methods-table"),results,words);let ahead=results.flatMap(one=>[...second?[`<h3>“${escaped2(one.
label)}”</h3>`]:[],...verdict(one,words).map(html=>`<p class="methods-verdict">${html}</p>`)]);this.find("#methods-scores").innerHTML=
ahead.join(""),this.classes&&agreement(this.find(".methods-matrix"),first,page,this.painter.signed),this.sayTitle(first,second),this.
sayTruth(first),this.saySkipped(),this.sayTaught()}sayTitle({label,methods,of},second){let{page}=this.words;if(!this.run||!methods.
some(({name:name2})=>of(name2)))return;let key=label?second?"title_classes":"title_class":"title_no_class",values={model:this.desk.
viewer.payload.model,label,other:second?.label};this.find("h2").textContent=filled2(page[key],values)}sayTruth({methods,of}){let objects=methods.
map(({name:name2})=>of(name2)?.objects).find(Boolean);this.find(".truth").innerHTML=objects?filled2(this.words.methods.truth,{objects:escaped2(
objects)}):""}saySkipped(){let{page,viewer}=this.words,skipped=this.all.filter(({name:name2})=>this.target.skipped.has(name2)&&this.
choice.ticked.has(name2)),said=skipped.map(({name:name2,title})=>made("li",{innerHTML:filled2(page.named,{name:escaped2(title),said:escaped2(
this.target.skipped.get(name2))})})),names=skipped.map(({title})=>title).join(viewer.list_comma);this.find(".left").hidden=!skipped.
length,this.find(".left summary").textContent=filled2(page.left_out,{names}),this.find(".left ul").replaceChildren(...said)}sayTaught(){
let{page,viewer,export:own}=this.words,{label,lesson}=this.target,canTeach=own.methodsTeach.replace("{teach}",viewer.teach).replace(
"{tab}",page.tab_attention);this.find(".taught").textContent=lesson?own.methodsTaught.replace("{label}",()=>label):"",this.find(".\
teach").textContent=this.things.length?"":canTeach}};function offer2(root,desk){let{page}=desk.words;root.innerHTML=`<div><p></p><small></small><progress max="1" hidden></progress></d\
iv>
    <button type="button" class="get"></button><button type="button" class="stop" hidden></button><button type="button" class="clo\
se"></button>`;let find=css=>root.querySelector(css),[said,made2,bar,get,stop,close]=["p","small","progress",".get",".stop",".clos\
e"].map(find);stop.textContent=page.stop,close.textContent=page.close,said.setAttribute("role","status");let isClosed=!1,now=null,
turn=isRunning=>{get.hidden=close.hidden=isRunning,stop.hidden=bar.hidden=!isRunning},show=one=>{stop.hidden&&(now=one,root.hidden=
!one||isClosed&&!one.chosen,one&&(said.textContent=one.said,made2.textContent=one.made,get.textContent=one.get,turn(!1)))};return close.
addEventListener("click",()=>{isClosed=!0,root.hidden=!0}),document.addEventListener("keydown",event=>{event.key!=="Escape"||event.
defaultPrevented||root.hidden||close.hidden||(close.click(),event.preventDefault())}),stop.addEventListener("click",()=>desk.source.
stopFetching()),get.addEventListener("click",async()=>{let{here,chosen:chosen2}=now;if(here)return desk.look({model:here});turn(!0);
let far=(share2,text)=>{bar.value=share2,said.textContent=text||said.textContent},failed=error=>({offer:{...now,said:error.message}}),
found=await desk.source.fetch(chosen2,far).catch(failed);return turn(!1),found.model?desk.look({model:found.model}):show(found.offer??
null)}),show}var Shelf=class{constructor(look){this.look=look,this.root=null,this.buttons=new Map,this.current=""}mount(root){this.root=root,root.
append(...this.buttons.values())}show(kept2){let ids=kept2.map(({id})=>id);for(let[id,button]of this.buttons)ids.includes(id)||(button.
remove(),this.buttons.delete(id));for(let one of kept2.toReversed()){if(this.buttons.has(one.id))continue;let button=this.made(one);
this.buttons.set(one.id,button),this.root?.append(button)}this.mark(this.current)}made({id,name:name2,blob}){let button=document.createElement(
"button"),canvas=document.createElement("canvas");return Object.assign(button,{type:"button",title:name2,ariaLabel:name2}),button.
append(canvas),button.addEventListener("click",()=>this.look(id)),paint(canvas,new File([blob],name2,{type:blob.type})),button}mark(id){
this.current=id;for(let[one,button]of this.buttons)button.setAttribute("aria-pressed",String(one===id))}};function shelf(root,desk){let{about,words}=desk,named=about.pictures.map(({name:name2})=>name2),lessons=new Map;for(let one of about.
pictures.filter(({asked:asked2})=>asked2)){let{name:name2,title}=one.asked[desk.language];one.name.endsWith("/bare")||(lessons.has(
name2)||lessons.set(name2,{title,pictures:[]}),lessons.get(name2).pictures.push(one.name))}let photos=named.filter(name2=>name2.startsWith(
"photo/"));root.innerHTML=`
    <input type="file" accept="image/*,video/*" multiple hidden><button type="button" class="bring">+</button>
    <div class="ways"><button type="button" class="folder"></button></div>
    <div class="own" role="group"></div>
    <button type="button" class="forget" hidden></button>
    <div class="photos"><div></div></div>
    <p class="credit" hidden></p>
    <div class="lessons"><p class="label"></p><div></div></div>
    <p class="kept"></p>
    <p class="why" hidden></p>`;let find=css=>root.querySelector(css),{isLive}=desk;Object.assign(find(".kept"),{textContent:words.
export.mapsOnly,hidden:isLive});let{bring,kept:kept2}=words.export;Object.assign(find(".bring"),{hidden:!isLive,ariaLabel:bring,title:`${bring}\

${kept2}`}),find(".lessons .label").innerHTML=words.page.lessons,Object.assign(find(".folder"),{textContent:words.incoming.folder,
title:words.incoming.folder_help,hidden:!isLive}),Object.assign(find(".forget"),{textContent:words.export.forget,title:desk.source.
keeper.help(words)}),find(".forget").addEventListener("click",()=>desk.forget());let own=new Shelf(picture=>desk.look({picture,model:modelFor(
picture)}));find(".own").ariaLabel=words.link.own,own.mount(find(".own"));let urls=new Map,opened=new Map;for(let[name2,{title,pictures}]of lessons){
let button=Object.assign(document.createElement("button"),{type:"button",textContent:title,id:`lesson-${name2}`});button.addEventListener(
"click",()=>{let at=(opened.get(name2)??-1)+1;opened.set(name2,at);let picture=pictures[at%pictures.length];desk.look({picture,model:modelFor(
picture)})}),find(".lessons > div").append(button)}for(let name2 of photos){let button=document.createElement("button"),{credit}=desk.
pictures.get(name2),plain=words.page.photo.replace("{name}",name2.slice(6)),title=credit?`${plain} (${credit})`:plain;button.type=
"button",Object.assign(button,{title,ariaLabel:title});let image=new Image;image.alt="",button.append(image),urlOf(name2).then(url=>image.
src=url),button.addEventListener("click",()=>desk.look({picture:name2,model:modelFor(name2)})),find(".photos > div").append(button)}
find(".lessons").hidden=!lessons.size,find(".photos").hidden=!photos.length;let modelFor=picture=>desk.source.modelFor(picture,(desk.
wanted??desk.shown)?.model);async function urlOf(name2){let{file,type,url}=desk.pictures.get(name2);return url||(urls.has(name2)||
urls.set(name2,URL.createObjectURL(new Blob([await desk.cargo.get(file)],{type}))),urls.get(name2))}return choice=>{own.show(desk.
brought.map(id=>({id,name:desk.pictures.get(id).title,blob:desk.pictures.get(id).blob}))),own.mark(choice.picture),find(".forget").
hidden=!desk.brought.length;let credit=desk.pictures.get(choice.picture)?.credit??"";Object.assign(find(".credit"),{textContent:words.
page.photo.replace("{name}",credit),hidden:!credit});let why=desk.modelOf(choice.model)?.why[desk.language]??"";Object.assign(find(
".why"),{textContent:why,hidden:!why})}}function tabs(root,all){let buttons=all.map(({title,box},i)=>{box.id||=`tab-box-${i}`,box.setAttribute("role","tabpanel"),box.setAttribute(
"aria-label",title);let button=Object.assign(document.createElement("button"),{type:"button",role:"tab",textContent:title});return button.
setAttribute("aria-controls",box.id),button.addEventListener("click",()=>choose(i)),button});root.append(...buttons),root.addEventListener(
"keydown",({key})=>{let by={ArrowRight:1,ArrowLeft:-1}[key];if(!by)return;let next=(buttons.findIndex(one=>one===document.activeElement)+
by+all.length)%all.length;choose(next),buttons[next].focus()}),choose(0);function choose(chosen2){buttons.forEach((button,i)=>{button.
setAttribute("aria-selected",String(i===chosen2)),button.tabIndex=i===chosen2?0:-1,all[i].box.hidden=i!==chosen2}),all[chosen2].shown?.()}}function open(makeSource){let cargo=new Cargo,{about}=cargo,language=chosen(about.languages),words=about.languages[language];document.
documentElement.lang=words.tag,document.title=words.page.window,dark(),document.documentElement.classList.toggle("embed",new URLSearchParams(
location.search).get("embed")==="1");let frame=document.createElement("div");frame.className="page",frame.innerHTML=`
    <header id="heading">
      <h1></h1>
      <div id="tabs" role="tablist"></div>
      <div id="tools"><span id="network"></span><span id="languages"></span>${words.help}</div>
    </header>
    <main>
      <div id="choose"></div>
      <div id="look">
        <p id="lost" role="status"></p>
        <p id="said" role="status"></p>
        <div class="viz" data-state="empty"></div>
        <section id="methods" hidden></section>
        <a class="link-full" target="_blank" rel="noopener"></a>
      </div>
      <div id="offer" hidden></div>
      <div id="strip"></div>
    </main>`;let find=css=>frame.querySelector(css);find("h1").textContent=words.page.title,find("#tools > details > div").append(
Object.assign(document.createElement("p"),{textContent:words.export.footer.replace("{version}",about.version)})),document.body.append(
frame),explain(find("#heading"));let source=makeSource(cargo,language),desk=new Desk(cargo,language,source),viewer=globalThis.vizapp.
mount(find(".viz"),{words:words.viewer,colours:about.colours,metrics:words.metrics,chapters:words.chapters,road:{open:link=>{desk.
open(link)},here:()=>desk.here()},ask:asked2=>source.ask(asked2),makes:source.makes,named:()=>desk.title,turn:page=>{desk.turn(page)}});
Object.assign(find(".viz"),{viewer,desk}),desk.attend(viewer),desk.said=(said,act)=>{let button=act&&Object.assign(document.createElement(
"button"),{type:"button",textContent:act.said,onclick:act.go});find("#said").replaceChildren(said,...button?[" ",button]:[])};let name2=chip(
find("#network"),desk),show=shelf(find("#choose"),desk);desk.offered=offer2(find("#offer"),desk);let moving2=new Moving(find("#loo\
k"),desk);webcam(desk,find("#choose"),moving2);let intake=new Intake(desk,find("#choose"),find("#strip"),film(desk,moving2)),methods=new Methods(
find("#methods"),desk);desk.changed=choice=>{name2(choice),show(choice),intake.follow(choice),moving2.follow(choice),methods.follow()},
desk.isLive&&tabs(find("#tabs"),[{title:words.page.tab_attention,box:find(".viz")},{title:words.page.tab_methods,box:find("#method\
s"),shown:()=>methods.follow()}]),lost(find("#lost"),desk),desk.begin(),languages(find("#languages"),desk),share(frame,desk),full(
find(".link-full"),desk)}function languages(root,desk){let{about,language}=desk,others=Object.entries({...about.languages,...about.
others}).filter(([name2])=>name2!==language);root.append(...others.map(([name2,{tag,page}])=>{let link=Object.assign(document.createElement(
"a"),{textContent:page.language,lang:tag,hreflang:tag,href:addressIn(name2)});return link.addEventListener("click",()=>{keep(name2),
desk.write(),link.href=addressIn(name2)}),link}))}function full(link,desk){let query=new URLSearchParams(location.search);query.delete(
"embed");let read=()=>link.href=`${location.pathname}?${query}${desk.here()}`;link.textContent=desk.words.link.full;for(let kind of[
"pointerdown","click"])link.addEventListener(kind,read);read()}function share(frame,desk){frame.addEventListener("click",({target:target2})=>{
let button=target2;if(!button.matches(COPIES))return;desk.write();let{others}=desk.about,link=others?direct(location,location.hash,
Object.keys(others).length?desk.language:""):location.href;copy(button,link,desk.isOwn(desk.shown?.picture),desk.words.link)})}var reading={bitmap:(blob,options)=>createImageBitmap(blob,options),bytes:async blob=>new Uint8Array(await blob.arrayBuffer())};function withHeader(packed,said){if(!Object.keys(said).length)return packed;let length=new DataView(packed.buffer,packed.byteOffset).
getUint32(4,!0),header=JSON.parse(new TextDecoder().decode(packed.subarray(8,8+length))),text=new TextEncoder().encode(JSON.stringify(
{...header,...said})),whole=Math.ceil(text.length/8)*8,made2=new Uint8Array(8+whole+packed.length-8-length).fill(32,8,8+whole);return made2.
set(packed.subarray(0,4)),new DataView(made2.buffer).setUint32(4,whole,!0),made2.set(text,8),made2.set(packed.subarray(8+length),8+
whole),made2}function withPicture(packed,other){let[start,first]=[packed,other].map(({buffer,byteOffset})=>8+new DataView(buffer,byteOffset).
getUint32(4,!0)),{blocks}=JSON.parse(new TextDecoder().decode(other.subarray(8,first))),length=Math.ceil(blocks.picture[2][0]/8)*8,
made2=new Uint8Array(packed.length+length);return made2.set(packed.subarray(0,start)),made2.set(other.subarray(first,first+length),
start),made2.set(packed.subarray(start),start+length),made2}var InWorker=class{constructor(cargo,language){this.cargo=cargo,this.about=cargo.about,this.language=language,this.words=cargo.about.
languages[language],this.makes=["link"],this.compares=[],this.keeper=inTab,this.worker=null,this.open=new Map,this.number=0,this.has=
new Map}runs(model){return!!this.modelOf(model)?.blob}can(model,picture){return this.runs(model)||!!this.about.maps[model]?.[picture]}modelFor(picture,now){
let able=this.about.models.map(({name:name2})=>name2).filter(name2=>this.can(name2,picture));return able.find(name2=>!this.runs(name2)&&
picture.startsWith(`lesson/${name2}/`))??(able.includes(now)?now:able[0])??now}modelOf(name2){return this.about.models.find(one=>one.
name===name2)}async look(choice,shown,far){let{picture,page,model,fit}=choice,run=JSON.stringify(choice),ready=fit===AS_TRAINED&&!page?
this.about.maps[model]?.[picture]:null;if(ready)return{payload:withHeader(await this.cargo.get(ready.payload),ready.headers[this.language]??
{}),run};if(!this.runs(model))throw new Refused(this.words.export.mapsOnly);let network=this.modelOf(model),caution=network.subject===
"scenes"&&!shown.drawn?this.words.page.caution_scenes:"",said={words:this.words.export,notes:[...caution?[]:network.notes[this.language]??
[],...shown.notes[this.language]??[]],lesson:shown.asked?.[this.language]??null,caution,truth:shown.truth.map(({names,object})=>({
name:names[this.language],object}))},masks=await Promise.all(shown.truth.map(({mask})=>this.cargo.get(mask)));await this.give(model);
let file=shown.blob?new Uint8Array(await shown.blob.arrayBuffer()):await this.cargo.get(shown.file),asked2={run,model,file,type:shown.
type,page:Number(page||1),fit:ownFit(fit),said,masks},payload=await this.tell("look",asked2,far);return payload&&{payload,run}}async glance({
model,fit},canvas){await this.give(model);let frame=canvas.getContext("2d").getImageData(0,0,canvas.width,canvas.height);return this.
tell("glance",{model,frame,fit:ownFit(fit)},void 0,[frame.data.buffer])}async give(model){if(!this.has.has(model)){let{blob,labels}=this.
modelOf(model),given=this.cargo.get(blob).then(bytes=>this.tell("open",{model,bytes,labels:labels[this.language]??null}));this.has.
set(model,given),given.catch(()=>this.has.delete(model))}return this.has.get(model)}async ask([kind,run,what]){let{picture,model}=JSON.
parse(run);if(kind==="saving")return this.origin(run,picture,model);let answer=this.about.answers[model]?.[picture]?.[this.language]?.[`${kind}\
 ${JSON.stringify(what)}`];if(answer)return answer;let moment=kind==="moments"&&this.about.moments[model]?.[picture]?.[what];return moment?
this.moment(moment,this.about.maps[model][picture]):this.runs(model)?this.tell("ask",{kind,run,what,words:this.words.export}):kind===
"maps"?{}:{why:this.words.export.needsServer}}async origin(run,picture,model){let known3=this.about.maps[model]?.[picture];if(known3&&
!this.runs(model))return{about:known3.about};let made2={...this.modelOf(model).about,program:"vizapp, in the browser",date:new Date().
toISOString()},{about}=await this.tell("ask",{kind:"saving",run,what:null,words:this.words.export});return{about:{...made2,...about}}}async moment({
payload,headers,sinks},start){let whole=withPicture(await this.cargo.get(payload),await this.cargo.get(start.payload)),said=withHeader(
whole,headers[this.language]??{});return{maps:textOf(said),run:"",sinks}}async atLength(call,what,far=_share=>{}){let answer=await this.
tell(call,what,far);return call==="explain"&&answer?{values:answer}:answer}async stop(){return this.tell("stop",{})}tell(call,what,far,given=[]){
this.worker??=this.begun(),this.number+=1;let number2=this.number;return new Promise((done,failed)=>{this.open.set(number2,{done,failed,
far}),this.worker.then(worker=>worker.postMessage({number:number2,call,...what},given),failed)})}async begun(){let worker=new Worker(
await this.script());return worker.addEventListener("message",({data:{question,read,blob,options,number:number2,done:share2,answer,
refused,error}})=>{if(question)return this.readFor(worker,question,read,blob,options);let{done,failed,far}=this.open.get(number2);
if(share2!==void 0)return far(share2);this.open.delete(number2),refused?failed(new Refused(this.worded(refused))):error?failed(new Error(
error)):done(answer)}),worker.addEventListener("error",event=>{for(let{failed}of this.open.values())failed(new Error(event.message));
this.open.clear()}),worker}async script(){if(!this.about.engine)return this.about.worker;let script=await this.cargo.get(this.about.
engine);return URL.createObjectURL(new Blob([script],{type:"text/javascript"}))}async readFor(worker,question,read,blob,options){try{
let found=await reading[read](blob,options);worker.postMessage({question,found},[found.buffer??found])}catch(error){worker.postMessage(
{question,failed:{name:error.name,message:error.message}})}}worded({key,values={}}){return(this.words.export[key]??key).replace(/\{(\w+)\}/g,
(_,name2)=>String(values[name2]))}},ownFit=fit=>fit===AS_TRAINED?null:fit;open((cargo,language)=>new InWorker(cargo,language));})();
