(()=>{var PICTURE=/\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i,WEIGHTS=/\.safetensors$/i;var isPicture=({type,name})=>type.startsWith("image/")&&!type.includes("svg")||PICTURE.test(name),isOther=file=>!isPicture(file)&&
!!(file.type||/\.\w+$/.test(file.name)),isWeights=({name})=>WEIGHTS.test(name);async function dropped(transfer){let entries=[...transfer.
items].filter(({kind})=>kind==="file").map(item=>item.webkitGetAsEntry?.()),isFolder=entries.some(entry=>entry?.isDirectory);if(!isFolder)
return{found:listed(transfer.files),isFolder};let found=[];for(let entry of entries)await walk(entry,found,0);return{found:inOrder(
found),isFolder}}var listed=files=>inOrder([...files].map(file=>({file,path:file.webkitRelativePath||file.name})).filter(({path})=>!path.
includes("/."))),inOrder=found=>found.sort((a,b)=>a.path.localeCompare(b.path,void 0,{numeric:!0}));async function walk(entry,found,depth){
if(!(!entry||found.length>=5e3||entry.name.startsWith("."))){if(entry.isFile){let file=await new Promise(done=>entry.file(done,()=>done(
null)));file&&found.push({file,path:entry.fullPath.replace(/^\//,"")})}else if(depth<8){let reader=entry.createReader();for(;;){let some=await new Promise(
done=>reader.readEntries(done,()=>done([])));if(!some.length)return;for(let one of some)await walk(one,found,depth+1)}}}}var FILM=/\.(mp4|m4v|webm|mov|ogv|mkv)$/i;var isFilm=({type,name})=>type.startsWith("video/")||FILM.test(name),mayMove=file=>isFilm(file)||/^image\/(gif|webp)$/.test(file.type),
framesOf=(file,most)=>isFilm(file)?decoded(file,most):animated(file,most).catch(()=>null);async function decoded(file,most){let video=Object.
assign(document.createElement("video"),{muted:!0,playsInline:!0,preload:"auto"}),url=URL.createObjectURL(file),heard=event=>new Promise(
(done,failed)=>{video.addEventListener(event,done,{once:!0}),video.addEventListener("error",()=>failed(video.error),{once:!0})});try{
let loaded=heard("loadeddata");if(video.src=url,await loaded,Number.isFinite(video.duration)||await seek(1e7),!video.videoWidth||!(video.
duration>0))throw new Error("no pictures in it")}catch(error){throw URL.revokeObjectURL(url),error}let count=Math.min(most,Math.max(
1,Math.round(video.duration*10)));return{count,rate:count/video.duration,frame:async number=>(await seek((number+.5)*video.duration/
count),drawn(video,video.videoWidth,video.videoHeight)),close:()=>{video.removeAttribute("src"),URL.revokeObjectURL(url)}};async function seek(seconds){
let there=heard("seeked");video.currentTime=seconds,await there}}async function animated(file,most){let{ImageDecoder}=globalThis;if(!ImageDecoder)
return null;let decoder=new ImageDecoder({data:await file.arrayBuffer(),type:file.type});await decoder.tracks.ready,await decoder.
completed;let whole=decoder.tracks.selectedTrack.frameCount;if(whole<2)return null;let count=Math.min(most,whole),{image:first}=await decoder.
decode({frameIndex:0}),seconds=(first.duration||1e5)/1e6;return first.close(),{count,rate:count/(seconds*whole),frame:async number=>{
let{image}=await decoder.decode({frameIndex:Math.floor(number*whole/count)}),canvas=drawn(image,image.displayWidth,image.displayHeight);
return image.close(),canvas},close:()=>decoder.close()}}function drawn(picture,width,height){let scale=Math.min(1,640/Math.max(width,
height));return framed(picture,Math.round(width*scale),Math.round(height*scale))}function framed(picture,width,height){let canvas=Object.
assign(document.createElement("canvas"),{width,height});return canvas.getContext("2d",{willReadFrequently:!0}).drawImage(picture,0,
0,width,height),canvas}var jpegOf=canvas=>new Promise(done=>canvas.toBlob(done,"image/jpeg",.92));var Hint=class{constructor(title,about){this.root=document.createElement("div"),this.root.className="drop-hint",this.root.appendChild(
document.createElement("p")).append(Object.assign(document.createElement("b"),{textContent:title}),about),this.timer=0}show(){this.
root.isConnected||document.body.append(this.root),clearTimeout(this.timer),this.timer=setTimeout(()=>this.hide(),1200)}hide(){clearTimeout(
this.timer),this.root.remove()}};var WANTED={width:{ideal:480},height:{ideal:360}},WHY={NotAllowedError:"cameraRefused",SecurityError:"cameraRefused",NotFoundError:"\
cameraNone",OverconstrainedError:"cameraNone"},COUNTED=12;async function camera(){if(!navigator.mediaDevices?.getUserMedia)return{
why:"cameraNotHere"};try{return{stream:await navigator.mediaDevices.getUserMedia({video:WANTED,audio:!1})}}catch(error){return{why:WHY[error.
name]??"cameraBusy"}}}function release(stream){for(let one of stream.getTracks())one.stop()}function rateOf(shown){if(shown.length>
COUNTED&&shown.shift(),shown.length<3)return"";let rate=1e3*(shown.length-1)/(shown.at(-1).at-shown[0].at);return rate<10?rate.toFixed(
1):rate.toFixed(0)}var NAME="webcam.jpg",Live=class{constructor(root,on,say){this.root=root,this.on=on,this.say=say,this.stream=null,this.frame=null,
this.painted=null,this.looking=Promise.resolve(!1),this.keeping=Promise.resolve(),this.before="",this.video=root.querySelector("vi\
deo"),this.rate=root.querySelector(".live-rate");let[freeze,stop]=[root.querySelector(".live-freeze"),root.querySelector(".live-st\
op")];Object.assign(freeze,{textContent:say("freeze"),title:say("freezeHelp")}),stop.textContent=say("cameraStop"),freeze.addEventListener(
"click",()=>this.freeze()),stop.addEventListener("click",()=>this.back()),document.addEventListener("visibilitychange",()=>document.
hidden&&this.freeze())}get isOn(){return!!this.stream}async start(){if(this.isOn)return;await this.keeping;let{stream,why}=await camera();
if(why)return this.on.tell(this.say(why));if(this.isOn)return release(stream);this.stream=stream,this.before=window.vizappLink?.here()??
"",stream.getVideoTracks()[0].addEventListener("ended",()=>this.isOn&&this.stop("cameraGone")),Object.assign(this.video,{muted:!0,
playsInline:!0,srcObject:stream}),this.rate.textContent=this.say("starting"),this.turn(),this.on.tell(""),await this.video.play().
catch(()=>{});let shown=[];for(;this.stream===stream;){let file=new File([await jpegOf(drawn(this.video,this.video.videoWidth,this.
video.videoHeight))],NAME,{type:"image/jpeg"});if(this.stream!==stream)return;let frame=this.frame={file,film:stream,on:"",isKept:!1};
if(this.looking=this.on.look(frame),!await this.looking||this.stream!==stream)return;this.painted=frame,shown.push({at:performance.
now()});let rate=rateOf(shown);rate&&(this.rate.textContent=this.say("perSecond",{rate}))}}stop(why){this.isOn&&(release(this.stream),
this.stream=this.frame=this.painted=this.video.srcObject=null,this.turn(),this.on.tell(why&&this.say(why)))}freeze(){let{painted}=this;
this.stop(),painted&&(this.keeping=this.on.keep(painted))}async back(){let{before,looking}=this;this.stop(),await looking,before&&
!this.isOn&&window.vizappLink.show(before)}turn(){document.documentElement.classList.toggle("is-live",this.isOn),this.root.hidden=
!this.isOn}};var TYPE=/^image\/(jpeg|png|webp|gif|avif)$/,NAME2=/\.(jpe?g|jfif|png|webp|gif|avif)$/i;async function readable(file,most){if(file.
type?TYPE.test(file.type):NAME2.test(file.name))return file;try{let picture=await createImageBitmap(file),canvas=framed(picture,picture.
width,picture.height);picture.close();let png=await new Promise(done=>canvas.toBlob(done)),made=png.size>most?await jpegOf(canvas):
png,name=`${file.name.replace(/\.\w+$/,"")}.${made===png?"png":"jpg"}`;return new File([made],name,{type:made.type,lastModified:file.
lastModified})}catch{return file}}async function hand(box,file,isWanted=()=>!0){let input=await inputOf(box);if(!input||!isWanted())return!1;let bag=new DataTransfer;
return bag.items.add(file),input.files=bag.files,input.dispatchEvent(new Event("change",{bubbles:!0})),!0}var isFree=box=>!!find(box),
find=box=>document.querySelector(`${box} input[type=file]:not(:disabled)`);async function inputOf(box){for(let waited=0;waited<6e4;waited+=
50){let input=find(box);if(input)return input;await new Promise(done=>setTimeout(done,50))}return null}async function paint(canvas,file){canvas.width=canvas.height=112;let pen=canvas.getContext("2d");try{let bitmap=await createImageBitmap(
file,{resizeHeight:224,resizeQuality:"medium"}),side=Math.min(bitmap.width,bitmap.height);pen.drawImage(bitmap,(bitmap.width-side)/
2,(bitmap.height-side)/2,side,side,0,0,112,112),bitmap.close()}catch{pen.font="600 26px system-ui, sans-serif",pen.textAlign="cent\
er",pen.fillStyle="#667";let kind=/\.(\w{1,5})$/.exec(file.name)?.[1]??"?";pen.fillText(kind.toUpperCase(),112/2,112/2+9,104)}}var MOST=100,MOST_BYTES=2**30,PAUSE=250,Strip=class{constructor(row,on,say){this.items=[],this.current=null,this.row=row,this.on=on,
this.say=say,this.timer=0,this.seen=new IntersectionObserver(all=>this.arrive(all),{root:row,rootMargin:"200px"}),this.queue=Promise.
resolve(),row.addEventListener("click",({target})=>{let item=this.items.find(({button})=>button.contains(target));item&&this.choose(
item,0)}),row.addEventListener("keydown",event=>{this.key(event.key)&&event.preventDefault()})}get bytes(){return this.items.reduce(
(sum,{file})=>sum+file.size,0)}add(found){let[bytes,left]=[this.bytes,0],first=null;for(let{file,path,film}of found){let known=this.
items.find(one=>one.path===path&&one.file.size===file.size&&one.file.lastModified===file.lastModified);if(!known&&(this.items.length>=
MOST||bytes+file.size>MOST_BYTES)){left+=1;continue}let item=known??this.made(file,path,film);known||(bytes+=file.size),first??=item}
return this.number(),{first,left}}made(file,path,film){let button=document.createElement("button");Object.assign(button,{type:"but\
ton",className:"strip-one",tabIndex:-1,title:path}),button.setAttribute("role","option"),button.append(document.createElement("can\
vas"));let item={file,path,film,on:"",bad:"",button};return this.items.push(item),this.row.append(button),this.seen.observe(button),
item}number(){let of=this.items.length;this.items.forEach(({button,path,bad},at)=>{let said=this.say("one",{name:path,at:at+1,of});
button.setAttribute("aria-label",bad?`${said}: ${bad}`:said)})}choose(item,pause){this.mark(item,!0),item.button.focus({preventScroll:!0}),
clearTimeout(this.timer),this.timer=setTimeout(()=>this.on.look(item),pause)}mark(item,isWaiting=!1){this.current=item;for(let{button}of this.
items){let isIt=button===item?.button;button.setAttribute("aria-selected",String(isIt)),button.classList.toggle("is-waiting",isIt&&
isWaiting),button.tabIndex=isIt?0:-1}!item&&this.items.length&&(this.items[0].button.tabIndex=0),item&&this.bring(item.button),this.
on.tell()}bring(button){let{left,right}=button.getBoundingClientRect(),row=this.row.getBoundingClientRect(),by=left<row.left?left-
row.left-60:right>row.right?right-row.right+60:0,isCalm=matchMedia("(prefers-reduced-motion: reduce)").matches;by&&this.row.scrollBy(
{left:by,behavior:isCalm?"instant":"smooth"})}blame(item,why){item.bad=why,item.button.classList.toggle("is-bad",!!why),item.button.
title=why?`${item.path}: ${why}`:item.path,this.number(),this.on.tell()}key(key){let last=this.items.length-1,at=this.items.indexOf(
this.current),to={ArrowLeft:at-1,ArrowRight:at+1,Home:0,End:last}[key];if(to===void 0||last<0)return!1;let item=this.items[Math.min(
last,Math.max(0,to))];return item!==this.current&&this.choose(item,PAUSE),!0}arrive(all){for(let{target,isIntersecting}of all){if(!isIntersecting)
continue;this.seen.unobserve(target);let item=this.items.find(({button})=>button===target);item&&(this.queue=this.queue.then(()=>this.
items.includes(item)&&paint(item.button.querySelector("canvas"),item.file)))}}clear(){clearTimeout(this.timer),this.seen.disconnect(),
this.items=[],this.current=null,this.row.replaceChildren()}};var PICTURE2="#picture",WEIGHTS2="#own-weights",PATIENCE=4e3,STEP=50,MB=2**20;function isWritten(target){return target instanceof HTMLElement?
target instanceof HTMLInputElement&&/^(text|search|url|email|password|number|tel)$/.test(target.type)||target instanceof HTMLTextAreaElement||
target.isContentEditable:!1}var Incoming=class{constructor(){this.words=null,this.isPublic=!1,this.isOurs=!1,this.wanted=null,this.
sent=null,this.asked=null,this.shown="",this.film=null,this.sending=Promise.resolve(),this.passing=new Set,this.answered=_isThere=>{},
this.pending=0,this.isBusy=!1,this.failed=0,this.reading=null}mount(root,words,isPublic){this.words=words,this.isPublic=isPublic,this.
root=root.querySelector(".strip"),this.said=this.root.querySelector(".strip-said"),this.count=this.root.querySelector(".strip-coun\
t");let row=this.root.querySelector(".strip-row");row.setAttribute("aria-label",words.strip);let close=this.root.querySelector(".s\
trip-close");Object.assign(close,{title:words.close}),close.setAttribute("aria-label",words.close),close.addEventListener("click",
()=>this.close()),this.strip=new Strip(row,{look:item=>this.look(item),tell:()=>this.tell()},(key,values)=>this.say(key,values));let live={
look:frame=>this.watch(frame),keep:frame=>this.keep(frame),tell:text=>this.tell(text)};this.live=new Live(this.root.querySelector(
".live"),live,(key,values)=>this.say(key,values)),!document.documentElement.classList.contains("embed")&&(this.hint=new Hint(words.
drop,words.drop_help),this.listen(),document.addEventListener("click",({target})=>{let{id}=target;id==="webcam"&&this.live.start(),
(id==="pick-pictures"||id==="pick-folder")&&this.pick(id==="pick-folder")}))}say(key,values={}){return this.words[key].replace(/\{(\w+)\}/g,
(_,name)=>String(values[name]))}listen(){addEventListener("dragstart",()=>this.isOurs=!0,!0),addEventListener("dragend",()=>this.isOurs=
!1,!0);let isMine=({target,dataTransfer})=>this.isOurs||!dataTransfer?!1:dataTransfer.types.includes("Files")||!isWritten(target);
for(let kind of["dragenter","dragover"])addEventListener(kind,event=>{isMine(event)&&(event.preventDefault(),event.stopPropagation(),
event.dataTransfer.dropEffect="copy",event.dataTransfer.types.includes("Files")&&this.hint.show())},!0);addEventListener("dragleav\
e",({relatedTarget})=>relatedTarget||this.hint.hide(),!0),addEventListener("drop",event=>{if(this.hint.hide(),!isMine(event))return void(this.
isOurs=!1);event.preventDefault(),event.stopPropagation(),this.drop(event.dataTransfer)},!0),addEventListener("paste",event=>{if(isWritten(
event.target)||event.defaultPrevented||!event.clipboardData)return;let files=listed(event.clipboardData.files);files.length&&event.
preventDefault(),(files.length||event.clipboardData.types.length)&&this.take(files,!1,"pasted_text")})}async drop(transfer){let isAddress=transfer.
types.includes("text/uri-list"),{found,isFolder}=await dropped(transfer);this.take(found,isFolder,isAddress?"dropped_address":"dro\
pped_text")}pick(isFolder){let field=Object.assign(document.createElement("input"),{type:"file",multiple:!0,webkitdirectory:isFolder});
isFolder||(field.accept="image/*,video/*"),field.addEventListener("change",()=>this.take(listed(field.files),isFolder,"no_pictures")),
field.click()}async take(found,isFolder,nothing){if(!found.length)return this.tell(this.say(isFolder?"no_pictures":nothing));if(found.
length===1&&mayMove(found[0].file)&&await this.spread(found[0].file))return;if(found.length===1&&!isFolder&&!this.strip.items.length)
return this.open(found[0]);let pictures=found.filter(({file})=>isPicture(file));if(!pictures.length)return found.length===1?this.open(
found[0]):this.tell(this.say("no_pictures"));let others=found.length-pictures.length,{first,left}=this.strip.add(pictures),said=[];
left&&said.push(this.say("too_many",{n:left,most:MOST,bytes:MOST_BYTES/MB})),others&&said.push(this.say("others",{n:others})),this.
tell(said.join(" ")),first&&this.strip.choose(first,0)}async spread(file){this.reading=file;let frames=[],isWanted=()=>this.reading===
file;try{let source=await framesOf(file,MOST);if(!source)return!1;let{count,rate,frame,close}=source;try{for(let number=0;number<count&&
isWanted();number++){this.tell(this.say("film_reads",{name:file.name,at:number+1,of:count}));let path=`${file.name.replace(/\.\w+$/,
"")} ${((number+.5)/rate).toFixed(2)} s.jpg`,told={type:"image/jpeg",lastModified:file.lastModified};frames.push({path,file:new File(
[await jpegOf(await frame(number))],path,told),film:file})}}finally{close()}}catch{return isWanted()&&this.tell(this.say("film_unr\
ead",{name:file.name})),!0}return isWanted()&&(this.reading=null,this.take(frames,!0,"no_pictures")),!0}async open({file:given}){this.
live.stop();let file=isWeights(given)||isOther(given)?given:await this.sendable(given),what=isWeights(file)?WEIGHTS2:PICTURE2;if(this.
tell(""),what===WEIGHTS2&&!document.querySelector(WEIGHTS2))return this.tell(this.say("no_weights",{name:file.name}));if(what===PICTURE2&&
isOther(file))return this.tell(this.say("no_picture",{name:file.name}));if(file.size>limit()){let key=what===WEIGHTS2?"large_weigh\
ts":"large";return this.tell(this.say(key,{name:file.name,size:Math.ceil(file.size/MB),most:Math.floor(limit()/MB)}))}this.wanted=
null,await this.restoration(),await hand(what,file)}async look(item){if(this.live.stop(),this.wanted=item,!this.isBusy){for(this.isBusy=
!0;this.wanted;){let next=this.wanted;this.wanted=null,this.strip.blame(next,""),await this.send(next,()=>!this.wanted).catch(()=>this.
fail(next,"not_sent"))}this.isBusy=!1}}async send(item,isWanted){let file=await this.sendable(item.file);if(file.size>limit())return this.
fail(item,"large_one");if(this.sent=item,await this.restoration(),!!await hand(PICTURE2,file,isWanted)){for(let free=0;this.sent===
item&&free<PATIENCE;free=isFree(PICTURE2)?free+100:0)await new Promise(done=>setTimeout(done,100));this.sent===item&&this.fail(item,
"not_sent")}}sendable=async file=>this.isPublic?readable(file,limit()):file;async restoration(){for(let waited=0;this.failed&&waited<
PATIENCE;waited+=STEP)await new Promise(done=>setTimeout(done,STEP));this.failed=0}fail(item,why){if(this.sent===item&&(this.sent=
null),!isOfStrip(item))return this.answered(!1);this.strip.blame(item,this.say(why,{most:Math.floor(limit()/MB)})),!this.wanted&&this.
strip.current===item&&this.strip.mark(this.onStage())}async watch(frame){let{viewer}=document.querySelector(".viz"),{shown}=this,{
payload}=viewer,answer=new Promise(answered=>this.answered=answered),isWanted=()=>this.live.frame===frame;await(this.sending=this.
send(frame,isWanted).catch(()=>this.fail(frame,"not_sent"))),this.sent===frame?this.sent=null:await answer||this.live.stop("camera\
Lost");let isPainted=()=>frame.on===shown||viewer.payload!==payload&&viewer.view?.payload===viewer.payload&&viewer.view.map.values;
for(;isWanted()&&!isPainted();)await new Promise(requestAnimationFrame);return isWanted()}async keep(frame){await this.sending,frame.
isKept=!0,await this.send(frame,()=>!this.wanted&&!this.live.isOn).catch(()=>this.fail(frame,"not_sent")),this.sent===frame&&(this.
sent=null)}async giveWay(){this.live&&(this.live.stop(),await this.sending,await this.live.keeping)}passes(path){return this.passing.
has(path)}onStage=()=>this.strip.items.find(({on})=>on&&on===this.shown)??null;choose(choice){this.pending+=1;let path=pathOf(choice),
sent=this.sent&&(isOfStrip(this.sent)||path.endsWith(this.sent.file.name))?this.sent:null;sent&&(sent.on=path),sent&&!isOfStrip(sent)&&
this.passing[sent.isKept?"delete":"add"](path),this.asked=sent??this.strip?.items.find(({on})=>on&&on===path)??null,this.sent=null,
path!==this.live?.frame?.on&&this.live?.stop(),document.documentElement.classList.toggle("next-frame",!!(this.film&&this.asked?.film===
this.film))}settle(choice){if(--this.pending>0||(this.pending=0,this.shown=pathOf(choice),this.film=this.asked?.film??null,this.asked=
null,this.answered(!0),!this.strip?.items.length||this.wanted||this.sent))return;let item=this.onStage();item&&this.strip.blame(item,
""),this.strip.mark(item)}wait(){this.failed+=1,!(--this.pending>0)&&(this.pending=0,this.asked&&(this.asked.on!==this.shown||!isOfStrip(
this.asked))&&this.fail(this.asked,"not_shown"),this.asked=null)}restored(){this.failed=Math.max(0,this.failed-1)}tell(text){text!==
void 0&&(this.said.textContent=text);let{items,current}=this.strip,at=items.indexOf(current);this.count.textContent=at>=0?this.say(
"at",{at:at+1,of:items.length,name:current.path}):items.length?this.say("of",{of:items.length}):"",at>=0&&current.bad&&(this.count.
textContent+=` ${current.bad}`);let isOpen=!!(items.length||this.said.textContent||this.live.isOn);this.root.classList.toggle("is-\
open",isOpen),document.documentElement.classList.toggle("has-strip",isOpen),this.root.classList.toggle("has-pictures",items.length>
0)}close(){this.live.stop(),this.strip.clear(),this.reading=null,this.wanted=null,this.tell("")}},isOfStrip=item=>"button"in item,
pathOf=choice=>choice?JSON.parse(choice)[0]?.path??"":"",limit=()=>window.gradio_config?.max_file_size??1/0;Object.assign(window,{vizappIncoming:new Incoming});})();
