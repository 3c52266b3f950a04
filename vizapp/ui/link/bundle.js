(()=>{var PAGE_KEYS=["v","picture","page","model","fit","edits","tab"];function parse(hash){let page={},state=[],parts=hash.replace(/^#/,"").split("&");for(let part of parts.filter(Boolean)){let key=part.
split("=",1)[0];PAGE_KEYS.includes(key)?page[key]=new URLSearchParams(part.replaceAll("+","%2B")).get(key):state.push(part)}return hash.
includes("=")?{page,state:state.join("&")}:null}function write(page,state){return`#${[...PAGE_KEYS.filter(key=>page[key]).map(key=>`${key}\
=${encodeURIComponent(page[key])}`),...state?[state]:[]].join("&").replace(/%(?:2C|2F|3A|3F|40)/g,decodeURIComponent)}`}var written=({
picture="",page="",model="",fit="",edits=""})=>write({picture,page,model,fit,edits},"");function framed(link,title){let address=new URL(link);address.searchParams.set("embed","1");let[src,name]=[address.href,title].map(
one=>one.replaceAll("&","&amp;").replaceAll('"',"&quot;"));return`<iframe src="${src}" width="480" height="560" style="border: 0" \
title="${name}"></iframe>`}function direct({origin,pathname},hash,language){return`${origin}${pathname}${language?`?lang=${encodeURIComponent(
language)}`:""}${hash}`}var COPIES=".copy-link, .copy-frame",FOR=2500;async function copy(button,link,isUpload,words){await copied(button.matches(".copy-f\
rame")?framed(link,document.title):link,words.by_hand);let label=button.dataset.words??=button.textContent;button.textContent=words[isUpload?
"copied_upload":"copied"],setTimeout(()=>button.textContent=label,FOR)}async function copied(text,byHand){try{await navigator.clipboard.
writeText(text)}catch{let field=Object.assign(document.createElement("textarea"),{value:text,readOnly:!0});document.body.append(field),
field.select();let isDone=document.execCommand("copy");field.remove(),isDone||prompt(byHand,text)}}var COLOURS="vizapp-colours",MODELS="vizapp-models";function read(key){try{return JSON.parse(localStorage.getItem(key)??"null")}catch{return null}}function keep(key,value){try{localStorage.
setItem(key,JSON.stringify(value))}catch{}}var colours=()=>read(COLOURS),keepColours=name=>keep(COLOURS,name);function models(){let found=read(
MODELS);return Array.isArray(found)?found:[]}function keepModel(name){keep(MODELS,[name,...models().filter(one=>one!==name)].slice(
0,20))}async function paint(canvas,file){canvas.width=canvas.height=112;let pen=canvas.getContext("2d");try{let bitmap=await createImageBitmap(
file,{resizeHeight:224,resizeQuality:"medium"}),side=Math.min(bitmap.width,bitmap.height);pen.drawImage(bitmap,(bitmap.width-side)/
2,(bitmap.height-side)/2,side,side,0,0,112,112),bitmap.close()}catch{pen.font="600 26px system-ui, sans-serif",pen.textAlign="cent\
er",pen.fillStyle="#667";let kind=/\.(\w{1,5})$/.exec(file.name)?.[1]??"?";pen.fillText(kind.toUpperCase(),112/2,112/2+9,104)}}var Shelf=class{constructor(look){this.look=look,this.root=null,this.buttons=new Map,this.current=""}mount(root){this.root=root,root.
append(...this.buttons.values())}show(kept){let ids=kept.map(({id})=>id);for(let[id,button]of this.buttons)ids.includes(id)||(button.
remove(),this.buttons.delete(id));for(let one of kept.toReversed()){if(this.buttons.has(one.id))continue;let button=this.made(one);
this.buttons.set(one.id,button),this.root?.append(button)}this.mark(this.current)}made({id,name,blob}){let button=document.createElement(
"button"),canvas=document.createElement("canvas");return Object.assign(button,{type:"button",title:name,ariaLabel:name}),button.append(
canvas),button.addEventListener("click",()=>this.look(id)),paint(canvas,new File([blob],name,{type:blob.type})),button}mark(id){this.
current=id;for(let[one,button]of this.buttons)button.setAttribute("aria-pressed",String(one===id))}};var NAME="vizapp",STORE="uploads";var done=asked=>new Promise((found,failed)=>{asked.onsuccess=()=>found(asked.result),asked.onerror=()=>failed(asked.error)});function open(){
let opening=indexedDB.open(NAME,1);return opening.onupgradeneeded=()=>opening.result.createObjectStore(STORE,{keyPath:"id"}),done(
opening)}var Uploads=class{constructor(told,isThere2){this.told=told,this.isThere=isThere2,this.ids=new Map,this.store=open().catch(
()=>null),this.ready=this.all().then(all=>{for(let{id,path}of all)this.ids.set(path,id);this.told(all)})}async all(){return(await this.
ask("readonly",store=>store.getAll())??[]).sort((a,b)=>b.when-a.when)}name({path}){return this.ids.has(path)||this.ids.set(path,nameless()),
this.ids.get(path)}pathOf(id){return[...this.ids].findLast(([,one])=>one===id)?.[0]}keep({path,url,orig_name:name}){let id=this.name(
{path});return this.renew(id,path,url,name??"picture"),id}async send(id,upload){let kept=await this.ask("readonly",store=>store.get(
id));if(!kept){let here=[...this.ids].find(([,one])=>one===id);return here?{path:here[0]}:null}let sent=()=>upload(new File([kept.
blob],kept.name,{type:kept.blob.type})),{path}=await this.isThere(kept.path)?kept:await sent();return this.ids.set(path,id),await this.
ask("readwrite",store=>store.put({...kept,path,when:Date.now()})),{path}}async clear(){await this.ask("readwrite",store=>store.clear()),
this.ids.clear(),this.told([])}async renew(id,path,url,name){let kept=await this.ask("readonly",store=>store.get(id));if(!kept)return this.
fetch(id,path,url,name);await this.ask("readwrite",store=>store.put({...kept,path,when:Date.now()}))}async fetch(id,path,url,name){
try{let answer=await fetch(url,{cache:"force-cache"});if(!answer.ok)return;let blob=await answer.blob();await this.ask("readwrite",
store=>store.put({id,path,name,when:Date.now(),blob}));let all=await this.all();for(let old of all.slice(5))await this.ask("readwr\
ite",store=>store.delete(old.id));this.told(all.slice(0,5))}catch{}}async ask(mode,what){let store=await this.store;try{return store&&
await done(what(store.transaction(STORE,mode).objectStore(STORE)))}catch{return null}}};function nameless(){return Array.from(crypto.
getRandomValues(new Uint8Array(5)),byte=>byte.toString(16).padStart(2,"0")).join("")}var STATE_VERSION=1;var PAUSE=350,UPLOAD="upload/";async function answerTo(path,options={}){let{root,api_prefix:prefix}=window.gradio_config,answer=await fetch(
`${root}${prefix}/${path}`,options).catch(()=>null);return answer?.ok?answer:null}async function isNew(){let answer=await answerTo(
"app_id");return answer!==null&&(await answer.json()).app_id!==window.gradio_config.app_id}async function isThere(path){return await answerTo(
`file=${encodeURI(path)}`,{method:"HEAD"})!==null}var Link=class{constructor(){this.viewer=null,this.given=null,this.page=null,this.
tab="",this.opening=null,this.arrived=null,this.promised=null,this.looked="",this.wasLive=!1,this.said="",this.strange=[],this.applying=
!1,this.choosing=0,this.timer=0,this.shelf=new Shelf(id=>this.look(id)),this.mounted=new Promise(mounted=>this.mountedAs=mounted),
addEventListener("popstate",()=>this.follow()),addEventListener("pagehide",()=>this.write()),document.addEventListener("vizapp-vie\
wer",({detail})=>this.attend(detail)),document.addEventListener("vizapp-tab",({detail})=>this.turned(detail))}mount(root,given){let{
words}=this.given=given;this.root=root,this.tab||=given.tabs[0];let[yes,full]=[".link-yes",".link-full"].map(one=>root.querySelector(
one));yes.textContent=words.yes,yes.addEventListener("click",()=>this.allow()),full.textContent=words.full,this.uploads=new Uploads(
kept=>{document.documentElement.classList.toggle("keeps-pictures",kept.length>0),this.shelf.show(kept)},isThere),document.addEventListener(
"click",({target})=>{let pressed=target;pressed.id==="forget-pictures"&&this.uploads.clear(),pressed.matches(COPIES)&&this.copy(pressed)}),
this.mountedAs()}begin(){let link=parse(location.hash);return link&&this.mounted.then(()=>this.open(link)),!!link}show(link){let found=parse(
link);found&&this.mounted.then(()=>this.open(found))}here(){return this.page?this.hash():""}follow(){let link=parse(location.hash);
link&&this.mounted.then(()=>this.open(link))}open(link){let{page,state}=this.whole(link);this.turn(this.given.tabs.includes(page.tab)?
page.tab:this.given.tabs[0]),this.strange=page.tab&&!this.given.tabs.includes(page.tab)?["tab"]:[],this.page&&written(page)===written(
this.page)?(this.opening=this.arrived=null,this.apply(state)):this.go(page,state)}async look(id){if(!this.page)return;this.looked=
id,this.choosing+=1;let sent=await this.uploads.send(id,this.given.upload).catch(()=>null);if(this.chosen(),!sent||this.looked!==id)
return;this.opening=this.promised=null;let{model,fit,edits}=this.page;this.given.ask({v:String(STATE_VERSION),picture:UPLOAD+id,model,
fit,edits,own:!0,path:sent.path})}whole({page,state}){let{book}=this.viewer??{},chapter=book?.chapters[book.at(new URLSearchParams(
state).get("chapter"))];if(page.picture||!chapter)return{page,state};let own=parse(book.linkOf(chapter)),said=new URLSearchParams(
state),rest=own.state.split("&").filter(part=>!said.has(part.split("=",1)[0]));return{page:{...own.page,...page},state:[...rest,state].
join("&")}}toPage(number){if(!this.page)return;let path=this.uploads?.pathOf(this.page.picture.slice(UPLOAD.length));this.go({...this.
page,page:number>1?String(number):""},this.viewer.toHash(),path?{path}:null)}async go(page,state,here=null){let opening=this.opening=
{state,page:null,isLost:!1},{v,picture="",page:number,model,fit,edits}=page,isUpload=picture.startsWith(UPLOAD),sent=here??(isUpload?
await this.uploads.send(picture.slice(UPLOAD.length),this.given.upload).catch(()=>null):null);opening===this.opening&&(this.wanted=
{page,state},this.promised=isUpload&&!sent?{model,state}:null,this.given.ask({v,picture,page:number,model,fit,edits,own:models().includes(
model),path:sent?.path??null}))}allow(){keepModel(this.asked),this.go({...this.wanted.page,model:this.asked},this.wanted.state)}apply(state){
this.applying=!0;let strange=this.viewer.follow(state,this.strange);this.applying=!1,this.strange=[],this.tell(this.viewer.words.told(
[this.said,strange])),this.later()}attend(viewer){this.viewer=viewer;let colours2=colours();!parse(location.hash)&&viewer.state.key(
"colours").fits(colours2)&&viewer.state.set({colours:colours2}),viewer.arrives=()=>this.opening?.page?(this.apply(this.opening.state),
this.opening=null,!0):!1,viewer.state.subscribe(changed=>{changed.includes("colours")&&!this.applying&&keepColours(viewer.state.get(
"colours")),this.later()})}turned(tab){tab!==this.tab&&(this.write(),this.tab=tab,this.write("push"))}turn(tab){tab!==this.tab&&(this.
tab=tab,document.querySelector(`#tabs [role=tab][data-tab-id="${tab}"]`)?.click())}told(){let{opened,said,strange,asks,page}=this.
given.value()??{};if(opened&&this.opening&&(this.opening.page=written(opened),this.strange.push(...strange),this.say(said,asks)),!page)
return;let isPromised=page.picture==="upload"&&this.promised;isPromised&&isPromised.model===page.model&&(this.opening={state:isPromised.
state,page:written(page),isLost:!1},this.promised=null,this.say(""));let byLink=this.opening?.page===written(page);this.write(),byLink||
(this.opening=null,this.page&&!isPromised&&this.say("")),this.arrived={page,byLink}}choose(){this.choosing+=1}chosen(){this.choosing=
Math.max(0,this.choosing-1)}settle(choice){if(this.chosen(),!this.arrived||!choice)return;let{page,byLink}=this.arrived,[picture,model]=JSON.
parse(choice);this.arrived=null,keepModel(model);let isUpload=page.picture==="upload"&&picture?.path,isLive=!!(isUpload&&window.vizappIncoming?.
passes(picture.path)),before=this.page;this.page={...page,picture:isUpload?UPLOAD+this.uploads[isLive?"name":"keep"](picture):page.
picture},this.shelf.mark(isUpload?this.page.picture.slice(UPLOAD.length):"");let isOther=before&&!byLink&&written(before)!==written(
this.page);this.write(isOther&&!this.wasLive?"push":"replace"),this.wasLive=isLive}async wait(){this.chosen(),this.opening&&(this.
opening.isLost=!0),this.page&&await isNew()&&location.reload()}hash(){let tab=this.tab===this.given.tabs[0]?"":this.tab;return write(
{v:String(STATE_VERSION),...this.page,tab},this.viewer.toHash())}get isBehind(){return!!(this.choosing||this.timer||this.arrived||
this.opening&&!this.opening.isLost)}async idle(){for(;this.isBehind;)await new Promise(requestAnimationFrame)}later(){this.timer||=
setTimeout(()=>this.write(),PAUSE)}write(how="replace"){if(clearTimeout(this.timer),this.timer=0,!this.page||this.arrived||this.opening&&
!this.opening.isLost)return;let hash=this.hash();if(this.root.querySelector(".link-full").href=direct(location,hash,this.given.language),
hash!==location.hash)try{history[`${how}State`](null,"",location.pathname+location.search+hash)}catch{this.later()}}async copy(button){
this.write();let isUpload=this.page?.picture.startsWith(UPLOAD),{words,language}=this.given;await copy(button,direct(location,this.
page?this.hash():location.hash,language),isUpload,words)}tell(said){this.root.querySelector("p").textContent=said,this.root.closest(
"#link-line").toggleAttribute("data-said",!!said)}say(said,asks=""){this.asked=asks,this.said=said,this.tell(said),this.root.querySelector(
".link-yes").hidden=!asks}};new URLSearchParams(location.search).get("embed")==="1"&&document.documentElement.classList.add("embed");Object.assign(window,{vizappLink:new Link});})();
