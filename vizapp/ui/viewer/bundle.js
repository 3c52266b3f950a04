// Made by `npm run build` from the modules of this folder: change those.
var vizapp=(()=>{var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;var __export=(target,all)=>{for(var name2 in all)__defProp(target,name2,{get:all[name2],enumerable:!0})},__copyProps=(to,from,except,desc)=>{
if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to,key)&&key!==except&&
__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to};var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod);var __toBinary=Uint8Array.fromBase64||(()=>{for(var table=new Uint8Array(128),i=0;i<64;i++)table[i<26?i+65:i<52?i+71:i<62?i-4:i*4-
205]=i;return base64=>{for(var n=base64.length,bytes=new Uint8Array((n-(base64[n-1]=="=")-(base64[n-2]=="="))*3/4|0),i2=0,j=0;i2<n;){
var c0=table[base64.charCodeAt(i2++)],c1=table[base64.charCodeAt(i2++)],c2=table[base64.charCodeAt(i2++)],c3=table[base64.charCodeAt(
i2++)];bytes[j++]=c0<<2|c1>>4,bytes[j++]=c1<<4|c2>>2,bytes[j++]=c2<<6|c3}return bytes}})();var panels_exports={};__export(panels_exports,{mount:()=>mount2,newState:()=>newState});function write(element,text3){let{firstChild:only}=element;element.textContent!==text3&&(text3&&only?.nodeType===3&&only===element.
lastChild?only.nodeValue=text3:element.textContent=text3)}var isStill=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;function intoView(element,block="\
start"){element.scrollIntoView({block,behavior:isStill()?"auto":"smooth"})}function put(element,values){for(let[name2,value]of Object.
entries(values)){let before=name2.includes("-")?element.getAttribute(name2):element[name2];String(before)!==String(value)&&(name2.
includes("-")?element.setAttribute(name2,String(value)):element[name2]=value)}}function tagged(tag,text3){return Object.assign(document.
createElement(tag),{textContent:text3})}function plain(html){return new DOMParser().parseFromString(html,"text/html").body.textContent??
""}var finder=root=>name2=>root.querySelector(`.viz-${name2}`),made=0;function pair(label,control){made+=1,control.id=label.htmlFor=
`viz-${Math.random().toString(36).slice(2)}-${made}`}var REST=700;function speaker(beside){let live=tagged("span","");live.className=
"viz-unseen viz-spoken",live.setAttribute("aria-live","polite"),beside.after(live);let timer=0;return make=>{clearTimeout(timer),timer=
window.setTimeout(()=>write(live,make()),REST)}}var Choice=class{constructor(root,state){this.buttons=[...root.querySelectorAll("b\
utton[data-set]")];for(let button of this.buttons)button.addEventListener("click",()=>state.set({[button.dataset.set]:button.dataset.
value}))}show(shown,isOff=_value=>!1){for(let button of this.buttons){let{value}=button.dataset;put(button,{"aria-pressed":value===
shown,disabled:isOff(value)})}}};function bind(control,type,state,changes){control.addEventListener(type,()=>state.set(changes(control)))}
function closing(box2){box2.addEventListener("keydown",event=>{box2.open&&(event.stopPropagation(),event.key==="Escape"&&(box2.open=
!1,box2.firstElementChild.focus()))}),document.addEventListener("pointerdown",({target})=>{box2.contains(target)||(box2.open=!1)})}var panel_about={name:"about",place:"top",order:20,html:'<p class="viz-about"></p>',mount(root,{words}){let about=finder(root)("ab\
out");function begin({noChain,isLarge,isMean,skipped}){let said=[];noChain?said.push(words.say("no_rollout",{reason:noChain})):isLarge&&
said.push(words.say("no_rollout_large")),isMean&&said.push(words.say("only_mean"));for(let reason of new Set(skipped.map(([,why])=>why))){
let names=skipped.filter(([,why])=>why===reason).map(([name2])=>name2),word=names.length>1?"skipped_many":"skipped";said.push(words.
say(word,{name:names[0],more:names.length-1,reason}))}about.textContent=about.title=words.told(said)}return{reset:begin,swap:begin}}};var FUSIONS=["mean","max","min"],DIRECTIONS=["from","to"],CHAINS=["attention","rollout"],SCALES=["map","layer","all","fixed"],ATLAS_ORDERS=[
"layers","entropy","distance","cls","sinks","score"];var TOKENS=["cls","dist","cls+dist","mean","pool"],TOOLS=["box","brush","eraser"];var DOWN=["upper","middle","lower","all"],ACROSS=["left","middle","right","all"],TRIED=["attention","rollout","chefer"],PARTS=["pi\
cture","patches","layers","readout","answer"];var THROUGH_LAYERS={attention:!1,rollout:!0};var OPACITY=.8,TEMPERATURE=.1,SKIP_WEIGHT=.5;var MOST_THINGS=5,MOST_MARKS=9,THING_LETTERS=40;function arrange({heads,fused,width,height,aspect}){let most=Math.max(...heads),plans=[];for(let folds=1;folds<=Math.min(4,most);folds++)
for(let blocks=1;blocks<=Math.min(4,heads.length);blocks++)plans.push(plan({heads,fused,per:Math.ceil(most/folds),blocks}));let stepIn=(high,{
columns,lines,blocks})=>{let rest=width-blocks*(20+fused*5)-(blocks-1)*12;return Math.min(rest/columns,(high-18)/lines/aspect,110)},
[best,step]=largest(plans,one=>stepIn(height,one));return step<40&&([best,step]=largest(plans,one=>Math.min(40,stepIn(1.8*height,one)))),
placed(best,{heads,fused,step,aspect})}function inOrder({order,rows,width,height,aspect}){let fits=(columns2,high)=>Math.min(width/
columns2,high/Math.ceil(order.length/columns2)/aspect,110),counts=order.map((_,i)=>i+1),[columns,step]=largest(counts,count=>fits(
count,height),1);step<40&&([columns,step]=largest(counts,count=>Math.min(40,fits(count,1.8*height)),1));let spots=Array.from({length:rows},
()=>[]);return order.forEach(([row2,column],i)=>{spots[row2][column]={x:i%columns*step,y:Math.floor(i/columns)*step*aspect}}),{step,
height:Math.ceil(order.length/columns)*step*aspect,spots,labels:[]}}function largest(plans,stepOf2,clearly=1.12){let best=plans[0],
step=stepOf2(best);for(let one of plans.slice(1)){let other=stepOf2(one);other>step*clearly&&([best,step]=[one,other])}return[best,
step]}function plan({heads,fused,per,blocks}){let lines=heads.map(count=>Math.ceil(count/per)),high=Math.max(Math.ceil(sum(lines)/
blocks),...lines),parts=split(lines,high);for(;parts.length>blocks;)parts=split(lines,++high);let columns=parts.map(rows=>Math.max(
...rows.map(row2=>Math.min(per,heads[row2])))+fused);return{per,parts,blocks:parts.length,wide:columns,columns:sum(columns),lines:high}}
function split(lines,high){let parts=[[]],used=0;return lines.forEach((count,row2)=>{used+count>high&&(parts.push([]),used=0),parts.
at(-1).push(row2),used+=count}),parts}function placed({per,parts,wide,lines},{heads,fused,step,aspect}){let high=step*aspect,spots=heads.
map(()=>[]),labels=[],left=0;return parts.forEach((rows,block)=>{let x=left+20,single=wide[block]-fused,across=column=>x+column*step+
Math.max(0,column-single+1)*5;for(let column=0;column<wide[block];column++){let of=column<single?{head:column}:{fused:column-single};
labels.push({x:across(column)+step/2,y:18/2,room:step,of})}let y=18;for(let row2 of rows){labels.push({x:left+20/2,y:y+high/2,room:20,
of:{layer:row2}});for(let head=0;head<heads[row2];head++){let line=Math.floor(head/per);spots[row2][head]={x:across(head%per),y:y+
line*high},line&&head%per===0&&labels.push({x:left+20/2,y:y+(line+.5)*high,room:20,of:{layer:row2,head}})}for(let i=0;i<fused;i++)
spots[row2][Math.max(...heads)+i]={x:across(single+i),y};y+=Math.ceil(heads[row2]/per)*high}left=x+wide[block]*step+fused*5+12}),{
step,height:18+lines*high,spots,labels}}var sum=numbers2=>numbers2.reduce((a,b)=>a+b,0);var BRIGHT=[255,255,255,150],DARK=[0,0,0,150],tiles=new Map;function filled(context,spacing,ratio,trace){let side2=Math.max(3,Math.
round(spacing*ratio));tiles.has(side2)||tiles.set(side2,tileOf(side2,Math.max(1,Math.round(ratio)))),context.fillStyle=context.createPattern(
tiles.get(side2),"repeat"),context.beginPath(),trace(),context.fill()}function tileOf(side2,line){let tile=Object.assign(document.
createElement("canvas"),{width:side2,height:side2}),image2=new ImageData(side2,side2);for(let i=0;i<side2*side2;i++){let at=(Math.
floor(i/side2)+i%side2)%side2;at<2*line&&image2.data.set(at<line?BRIGHT:DARK,4*i)}return tile.getContext("2d").putImageData(image2,
0,0),tile}function hatchPatches(context,{x,y,w,h},{grid:[rows,cols],first},reach,ratio){filled(context,7,ratio,()=>{for(let i=0;i<
rows*cols;i++){if(reach[first+i])continue;let[row2,col]=[Math.floor(i/cols),i%cols];context.rect(x+col*w/cols,y+row2*h/rows,w/cols,
h/rows)}})}function hatchBelow(context,[x,y,w,h],ratio){filled(context,4,ratio,()=>context.rect(x,y,w,h))}var Measured=class{constructor(element,read){this.read=read,this.value=[0];let forget=()=>this.value=[0];new ResizeObserver(forget).
observe(element),addEventListener("resize",forget)}get now(){return this.value[0]||(this.value=this.read()),this.value}};var GAP=2,ON_PHONES=380,SHORT=42,LEGIBLE=34,Atlas=class{constructor(canvas,words,size=null){this.canvas=canvas,this.size=size;let room=()=>parseFloat(
getComputedStyle(canvas.parentElement).minHeight)||ON_PHONES;this.onPage=size?null:new Measured(canvas,()=>[canvas.clientWidth,room()]),
this.words=words,this.sheet=document.createElement("canvas")}layout(payload,heads,columns){this.grid=payload.grid,this.rows=payload.
layers.length,this.heads=heads,this.columns=columns,this.aspect=Math.min(this.grid[0]/this.grid[1],1.5),this.counts=payload.layers.
map(layer=>layer.heads),this.places=this.shelves(payload),this.image=new ImageData(this.sheet.width,this.sheet.height),this.pixels=
new Uint32Array(this.image.data.buffer)}shelves({layers,finest}){let grids=layers.map(({queries,keys,heads})=>this.columns.map(name2=>typeof name2==
"number"&&name2>=heads?[0,0]:name2==="rollout"?finest.grid:queries.tokens>keys.tokens?queries.grid:keys.grid)),width=Math.max(1024,
...grids.flat().map(([,cols])=>cols)),[x,y,high]=[0,0,0],places=grids.map(row2=>row2.map(([rows,cols])=>{x+cols>width&&([x,y,high]=
[0,y+high,0]);let place2=[x,y];return x+=cols,high=Math.max(high,rows),place2}));return this.sheet.width=width,this.sheet.height=y+
high,places}resize(order){let[width,height]=this.onPage?.now??[this.size.width,this.size.height],ratio=this.size?.ratio??(window.devicePixelRatio||
1);if(!width||!this.image)return!1;let room={width,height,aspect:this.aspect},key=JSON.stringify([room,this.counts,this.columns.length,
order]);if(this.arranged!==key){this.arranged=key;let fused=this.columns.length-this.heads,plain2=()=>arrange({...room,heads:this.
counts,fused});this.plan=order?inOrder({...room,order,rows:this.rows}):plain2(),this.isSorted=!!order,this.canvas.style.height=`${Math.
ceil(this.plan.height)}px`}let[across,down]=[width,Math.ceil(this.plan.height)].map(size=>Math.round(size*ratio));return(this.canvas.
width!==across||this.canvas.height!==down)&&([this.canvas.width,this.canvas.height]=[across,down]),this.ratio=ratio,!0}box(row2,column){
let spot=this.plan.spots[row2]?.[column],{ratio,plan:plan2}=this;return spot?{x:spot.x*ratio,y:spot.y*ratio,w:plan2.step*ratio,h:plan2.
step*this.aspect*ratio}:null}draw({cells,map,selected,hovered,ink,accent,scores,order,fusion}){if(this.fusion=fusion,!this.resize(
order))return;for(let row2=0;row2<this.rows;row2++)for(let column=0;column<this.columns.length;column++){let cell=cells[row2][column];
if(!cell)continue;let{values,layout,high,reach}=cell,place2=this.places[row2][column];map.fill(this.pixels,this.sheet.width,...place2,
values,layout.first,layout.grid,high||1,255,reach)}this.sheet.getContext("2d").putImageData(this.image,0,0);let context=this.canvas.
getContext("2d");context.clearRect(0,0,this.canvas.width,this.canvas.height);let gap=GAP*this.ratio;context.imageSmoothingQuality=
"medium",context.fillStyle=map.css(0);for(let row2=0;row2<this.rows;row2++)for(let column=0;column<this.columns.length;column++){let cell=cells[row2][column],
box2=cell!==void 0&&this.box(row2,column);if(!box2)continue;let{x,y,w,h}=box2;if(cell){let[rows,cols]=cell.layout.grid;cell.reach&&
hatchBelow(context,[x,y,w-gap,h-gap],this.ratio),context.imageSmoothingEnabled=cols>w-gap,context.drawImage(this.sheet,...this.places[row2][column],
cols,rows,x,y,w-gap,h-gap)}else context.globalAlpha=40/255,context.fillRect(x,y,w-gap,h-gap),context.globalAlpha=1}scores&&this.drawScores(
context,scores),this.drawNames(context,ink,selected),hovered&&this.outline(context,hovered,ink,1),selected&&this.outline(context,selected,
accent,3)}nameOf(column,isShort){let say=(name2,given={})=>this.words.say(isShort?`short_${name2}`:`atlas_${name2}`,given);return column===
"mean"?say(this.fusion):this.fusion==="mean"?say("rollout"):say("rollout_of",{fusion:say(this.fusion)})}drawNames(context,ink,selected){
let write2=(text3,{x,y,room},isChosen=!1)=>{context.font=`${isChosen?"bold ":""}${11*this.ratio}px sans-serif`,context.fillText(text3,
x*this.ratio,y*this.ratio,room*this.ratio)};context.fillStyle=ink,context.textAlign="center",context.textBaseline="middle";for(let label of this.
plan.labels){let{layer,head,fused}=label.of;fused!==void 0?write2(this.nameOf(this.columns[this.heads+fused],label.room<SHORT),label,
selected?.column===this.heads+fused):layer!==void 0?write2(head===void 0?String(layer+1):`${head+1}→`,label,head===void 0&&layer===
selected?.row):write2(String(head+1),label,head===selected?.column)}this.isSorted&&this.drawOwnNames(context)}numbersInWords(title){
let scored=title&&this.plan?.step>=LEGIBLE?this.words.say("atlas_scored",{title}):"";return[this.words.say(this.isSorted?"atlas_so\
rted":"atlas_rows"),scored].filter(Boolean).join(" · ")}drawOwnNames(context){this.onMaps(context,Math.min(11,this.plan.step*.26),
"left"),this.plan.spots.forEach((row2,r)=>row2.forEach((_,column)=>{let{x,y}=this.box(r,column);this.written(context,`${r+1}.${column+
1}`,x+GAP*this.ratio,y+Math.min(11,this.plan.step*.26)*this.ratio)}))}onMaps(context,size,align){context.textAlign=align,context.textBaseline=
"alphabetic",context.lineWidth=3*this.ratio,context.lineJoin="round",context.strokeStyle="rgba(0, 0, 0, 0.8)",context.fillStyle="w\
hite",context.font=`${size*this.ratio}px sans-serif`}written(context,text3,x,y){context.strokeText(text3,x,y),context.fillText(text3,
x,y)}drawScores(context,{table,isBest,text:text3}){if(this.plan.step<LEGIBLE)return;let size=Math.min(12,this.plan.step*this.aspect*
.3);this.onMaps(context,size,"right");let regular=context.font;table.forEach((row2,r)=>row2.forEach((value,column)=>{let box2=value!==
null&&this.box(r,column);if(!box2)return;let star=isBest(r,column);context.font=star?`bold ${regular}`:regular;let edge=(GAP+3)*this.
ratio;this.written(context,(star?"★":"")+text3(value),box2.x+box2.w-edge,box2.y+box2.h-edge)}))}drawLarge(canvas,{row:row2,column},cells){
let[rows,cols]=cells[row2][column].layout.grid,scale=Math.max(1,Math.round(320*this.ratio/2/Math.max(rows,cols)));[canvas.width,canvas.
height]=[cols*scale,rows*scale];let context=canvas.getContext("2d");context.imageSmoothingEnabled=!1,cells[row2][column].reach&&hatchBelow(
context,[0,0,canvas.width,canvas.height],this.ratio),context.drawImage(this.sheet,...this.places[row2][column],cols,rows,0,0,canvas.
width,canvas.height)}outline(context,{row:row2,column},colour,width){let box2=this.box(row2,column);box2&&(context.strokeStyle=colour,
context.lineWidth=width*this.ratio,context.lineJoin="miter",context.strokeRect(box2.x-this.ratio,box2.y-this.ratio,box2.w,box2.h))}cellAt(event){
if(!this.plan)return null;let area=this.canvas.getBoundingClientRect(),px=(event.clientX-area.left)*this.canvas.width/area.width,py=(event.
clientY-area.top)*this.canvas.height/area.height;for(let row2=0;row2<this.rows;row2++)for(let column=0;column<this.columns.length;column++){
let box2=this.box(row2,column);if(box2&&px>=box2.x&&px<box2.x+box2.w&&py>=box2.y&&py<box2.y+box2.h)return{row:row2,column,at:[(px-
box2.x)/box2.w,(py-box2.y)/box2.h]}}return null}};var bytesOf=text3=>Uint8Array.from(atob(text3),character=>character.charCodeAt(0));var floatsOf=text3=>new Float32Array(bytesOf(text3).buffer);var ColourMap=class{constructor(base64){this.table=bytesOf(base64),this.packed=Uint32Array.from({length:256},(_,i)=>this.table[3*i]|
this.table[3*i+1]<<8|this.table[3*i+2]<<16)}css(share){let at=3*stepOf(share);return`rgb(${this.table[at]}, ${this.table[at+1]}, ${this.
table[at+2]})`}fill(pixels,width,x,y,values,first,[rows,cols],high,alpha,reach=null){let top=alpha<<24,from=first;for(let row2=0;row2<
rows;row2++){let to=(y+row2)*width+x;for(let col=0;col<cols;col++,from++)pixels[to++]=reach&&!reach[from]?0:top|this.packed[stepOf(
shareOf(values[from],high))]}}};function colourOf(all,view){if(!Object.hasOwn(all,view.colours))throw new TypeError(`There is no c\
olour map '${view.colours}'.`);return all[view.colours]}function shareOf(value,high){return Math.min(1,Math.max(0,value/high))}function stepOf(share){
return Math.min(255,Math.floor(256*share))}function largest2(values,counts){let high=0;for(let i=0;i<values.length;i++)counts[i]&&
values[i]>high&&(high=values[i]);return high}var STEPS={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0]},REST2=400,Listing=class{constructor(table,does){this.
table=table,this.does=does,this.timer=0,this.cells=[],table.addEventListener("keydown",event=>this.press(event)),table.addEventListener(
"click",({target})=>this.act(target,does.pick)),table.addEventListener("focusin",({target})=>this.act(target,does.peek)),table.addEventListener(
"focusout",()=>does.peek(null))}get hasFocus(){return this.table.contains(document.activeElement)}soon(make){clearTimeout(this.timer),
this.timer=setTimeout(()=>this.fill(make()),REST2)}fill({caption,columns,rows,texts,selected}){let shape=JSON.stringify([columns,rows,
texts.map(row2=>row2.map(text3=>text3===null))]);shape!==this.shape&&this.build(columns,rows,texts),this.shape=shape,this.table.setAttribute(
"aria-label",caption);let stop=selected??{row:0,column:0};this.cells.forEach((row2,r)=>row2.forEach((cell,column)=>{if(!cell)return;
let isHere=r===selected?.row&&column===selected.column;write(cell,texts[r][column]),cell.setAttribute("aria-selected",String(isHere)),
this.hasFocus||(cell.tabIndex=r===stop.row&&column===stop.column?0:-1)}))}build(columns,rows,texts){let head=document.createElement(
"tr");head.append(document.createElement("td"),...columns.map(name2=>Object.assign(tagged("th",name2),{scope:"col"}))),this.cells=
texts.map(row2=>row2.map(text3=>text3===null?null:cellOf()));let body=this.cells.map((cells,r)=>{let line=document.createElement("\
tr"),name2=Object.assign(tagged("th",rows[r]),{scope:"row"});return line.append(name2,...cells.map(cell=>cell??document.createElement(
"td"))),line});this.table.replaceChildren(head,...body)}placeOf(target){for(let[row2,cells]of this.cells.entries()){let column=cells.
indexOf(target);if(column>=0)return{row:row2,column}}return null}act(target,what){let place2=this.placeOf(target);place2&&what(place2)}press(event){
let place2=this.placeOf(event.target);if(!(!place2||event.ctrlKey||event.altKey||event.metaKey)){if(event.key in STEPS)this.move(place2,
STEPS[event.key]);else if(event.key==="Enter"||event.key===" ")this.does.pick(place2);else return;event.preventDefault(),event.stopPropagation()}}move({
row:row2,column},[down,right]){let from=this.cells[row2][column],to=null;do[row2,column]=[row2+down,column+right],to=this.cells[row2]?.[column];while(to===
null);to&&(from.tabIndex=-1,to.tabIndex=0,to.focus())}};function cellOf(){let cell=document.createElement("td");return cell.setAttribute(
"role","gridcell"),cell.tabIndex=-1,cell}function percent(share){let value=Math.abs(100*share),digits2=value<5e-4||value>=9.95?0:value>=.995?1:value>=.0995?2:3;return`${share<
0?"−":""}${value.toFixed(digits2)} %`}function times(value){return value>=9.95?value.toFixed(0):value>=.095?value.toFixed(1):value.
toFixed(2)}var RAISED="⁰¹²³⁴⁵⁶⁷⁸⁹";function tiny(value){if(value===0)return"0";let[digits2,power]=value.toExponential(
0).split("e"),raised=[...power.replace("+","")].map(sign=>sign==="-"?"⁻":RAISED[Number(sign)]);return`${digits2} × 10${raised.join(
"")}`}function digits(value){if(!Number.isFinite(value))return value<0?"−∞":String(value);let size=Math.abs(value);return(size!==
0&&(size<.001||size>=1e5)?value.toExponential(1):String(Number(value.toPrecision(3)))).replace("-","−")}var MOST=.8,LOOSE=.2;function spread(values,layout,most=MOST){let tokens=[...values.keys()].filter(token=>layout.onPicture[token]),
bright=tokens.filter(token=>values[token]>0).sort((a,b)=>values[b]-values[a]),sum3=bright.reduce((all,token)=>all+values[token],0);
if(!sum3)return null;let few=[];for(let[i,held]=[0,0];i<bright.length&&held<most*sum3*(1-1e-6);i++)few.push(bright[i]),held+=values[bright[i]];
let places=few.map(token=>layout.centreOf(layout.cellOf(token))),weights=few.map(token=>values[token]),[x,y]=[0,1].map(axis=>part(
places.map(place2=>place2[axis]),weights));return{patches:few.length,all:tokens.length,part:[DOWN[y],ACROSS[x]].join("_")}}function part(places,weights){
let all=weights.reduce((a,b)=>a+b,0),mean=places.reduce((sum3,place2,i)=>sum3+weights[i]*place2,0)/all,square=places.reduce((sum3,place2,i)=>sum3+
weights[i]*(place2-mean)**2,0)/all;return Math.sqrt(square)>LOOSE?3:Math.min(2,Math.floor(3*mean))}var REGISTER=/^reg(\d+)$/,WEIGHTED=["mean","pool"],QUERY=/^query (\d+)$/,PATCH=/^(\d+),(\d+)$/,READ_HIDDEN={window:{from:"read_win\
dow_from",to:"read_window_to"},mask:{from:"read_mask_from",to:"read_mask_to"}},LONGEST=95e-5,SEVERAL=/\d,\d/;function nameKey(kind,name2,suffix=""){
let[token,given]=tokenOf(name2);return[`${kind}_${token}${suffix}`,given]}function tokenOf(name2){let register=REGISTER.exec(name2),
query=QUERY.exec(name2);if(query)return["query",{n:Number(query[1])+1}];if(register)return["reg",{n:Number(register[1])+1}];let patch=PATCH.
exec(name2);if(patch)return["patch",{row:Number(patch[1])+1,col:Number(patch[2])+1}];if(SEVERAL.test(name2))return["several",{}];let known=TOKENS.
find(one=>one===name2);return known?[known,{}]:["other",{name:name2}]}function tokenName(words,view,query,layout=view.here.queries){
if(layout.cellOf(query))return plainName(words,query,layout,view.here.queries);let{readout,top}=view.payload,name2=typeof query=="\
string"?query:layout.prefix[query],isHere=part2=>WEIGHTED.includes(part2)||SEVERAL.test(part2)||layout.prefix.includes(part2);return!view.
crossed&&view.payload.named.includes(query)&&!query.split("+").every(isHere)?words.say("name_later",{name:words.say(...nameKey("na\
me",name2))}):name2==="cls"&&name2===readout&&top.length?words.say("name_readout"):plainName(words,query,layout)}function plainName(words,query,layout,other=layout){
let cell=layout.cellOf(query);if(!cell)return words.say(...nameKey("name",typeof query=="string"?query:layout.prefix[query]));let place2={
row:cell[0]+1,col:cell[1]+1,rows:layout.grid[0],cols:layout.grid[1]};return words.say(String(layout.grid)===String(other.grid)?"pa\
tch_name":"patch_name_of",place2)}function mapName(words,view,{row:row2,column}){let name2=view.columns[column];return typeof name2==
"number"?words.say("where_head",{layer:row2+1,head:name2+1}):name2==="rollout"?words.say("where_rollout",{layer:row2+1}):words.say(
`where_${fusedAs(view)}`,{layer:row2+1})}var fusedAs=({fusion})=>fusion==="one"?"mean":fusion,isOfHeads=view=>fusedAs(view)!=="mea\
n";function shownName(words,view){if(!view.crossed)return mapName(words,view,view.selected);let how=view.fusion==="one"?"head":view.
fusion;return words.say(`cross_where_${how}`,{block:view.crossBlock+1,head:view.crossed.head+1})}function mapSentence(words,view){
let{values,layout}=view.map,cell=(view.pinned||view.crossed)&&view.hovered,sinks=view.sinksNow.map(sink=>layout.tokenOf(sink)),isSink=sinks.
includes(cell?layout.tokenOf(cell):strongest(values,layout,[])),token=cell?layout.tokenOf(cell):strongest(values,layout,sinks),hidden=cell&&
view.hiddenBy(token),kind=hidden?READ_HIDDEN[hidden][view.direction]:cell?`read_${view.phrase}`:values[token]>0?`status_${view.phrase}`:
"status_none",said=words.say(kind,{where:shownName(words,view),among:words.say(isSink?"among_no_sinks":"among_all"),name:tokenName(
words,view,view.query),other:tokenName(words,view,token,layout),share:percent(values[token]),times:times(values[token]*view.evenOf(
token)),patches:percent(view.onPatches),part:percent(values[token]/view.onPatches)});return cell&&isSink?`${said} ${words.say("rea\
d_sink")}`:said}function longestSentence(words,view){let{queries}=view.here,{layout}=view.map,isHeld=view.pinned||view.crossed,share=percent(
LONGEST),values={where:shownName(words,view),among:words.say(view.sinksNow.length?"among_no_sinks":"among_all"),name:tokenName(words,
view,isHeld?view.query:queries.tokens-1),other:tokenName(words,view,layout.tokens-1,layout),share,times:"0.00",patches:share,part:share},
longest3=(view.kind==="from"&&view.isWhole?["from","from_few"]:[view.phrase]).map(phrase=>words.say(isHeld?`read_${phrase}`:`statu\
s_${phrase}`,values)).reduce((most,one)=>one.length>most.length?one:most);return words.told([longest3,isHeld&&view.sinksNow.length?
words.say("read_sink"):""])}function spreadSentence(words,{map}){let found=spread(map.values,map.layout);if(!found)return"";let{patches,
all}=found,part2=words.say(`part_${found.part}`);return words.say(patches===1?"spread_1":"spread_n",{share:percent(MOST),patches,all,
part:part2})}function strongest(values,{onPicture},but){let best=-1;for(let i=0;i<values.length;i++)onPicture[i]&&!but.includes(i)&&
(best<0||values[i]>values[best])&&(best=i);return best<0?onPicture.indexOf(1):best}var SMALLEST_FIRST={entropy:!0,distance:!1,cls:!1,sinks:!1,score:!1};function measures(values,layout,{cell,grid,input,sinks}){return{
get entropy(){return entropy(values)},get distance(){return cell&&distance(values,layout,[(cell[0]+.5)/grid[0],(cell[1]+.5)/grid[1]],
input)},get cls(){return layout.prefix.includes("cls")?values[layout.prefix.indexOf("cls")]:null},get sinks(){return sinks.length?
sinks.reduce((sum3,sink)=>sum3+values[layout.tokenOf(sink)],0):null}}}function entropy(values){let sum3=0;for(let share of values){
if(share<0)return null;share>0&&(sum3-=share*Math.log(share))}return sum3}function distance(values,{first,grid:[rows,cols]},[down,
right],[height,width]){let all=0,sum3=0;for(let row2=0;row2<rows;row2++)for(let col=0;col<cols;col++){let share=values[first+row2*
cols+col];all+=share,sum3+=share*Math.hypot(((row2+.5)/rows-down)*height,((col+.5)/cols-right)*width)}return all>0?sum3/all:null}function ranked(heads,figure,by){
let numbers2=new Map(heads.map(head=>[head,figure(head)]));if([...numbers2.values()].every(value2=>value2===null))return null;let sign=SMALLEST_FIRST[by]?
1:-1,value=head=>numbers2.get(head)??sign*(1/0);return[...heads].sort((a,b)=>sign*(value(a)-value(b))||a[0]-b[0]||a[1]-b[1])}var Target=class{constructor(mask,[height,width],[rows,cols]){this.mask=mask,this.height=height,this.width=width,this.rows=rows,this.
cols=cols,this.patchHeight=height/rows,this.patchWidth=width/cols,this.cover=new Float64Array(rows*cols);let pixels=new Float64Array(
rows*cols);for(let y=0;y<height;y++)for(let x=0;x<width;x++){let patch=this.patchOf(y,x);this.cover[patch]+=mask[y*width+x],pixels[patch]+=
1}for(let i=0;i<rows*cols;i++)this.cover[i]/=pixels[i]||1;this.area=this.cover.reduce((a,b)=>a+b,0)/(rows*cols),this.isObject=this.
objectPatches()}patchOf(y,x){return Math.floor((y+.5)/this.patchHeight)*this.cols+Math.floor((x+.5)/this.patchWidth)}objectPatches(){
let most=Math.max(...this.cover),limit=Math.min(.5,most),isAll=this.cover.every(share=>share>=limit);return Uint8Array.from(this.cover,
share=>+(share>=(isAll?most:limit)))}get isUsable(){return this.area>0&&this.area<1}get near(){if(!this.grown){let{height,width,mask}=this,
tall=Math.floor(this.patchHeight/2),wide=Math.floor(this.patchWidth/2),sideways=new Uint8Array(mask.length);this.grown=new Uint8Array(
mask.length);for(let y=0;y<height;y++)for(let x=0;x<width;x++)mask[y*width+x]&&sideways.fill(1,y*width+Math.max(0,x-wide),y*width+
Math.min(width,x+wide+1));for(let y=0;y<height;y++)for(let from=Math.max(0,y-tall);from<=Math.min(height-1,y+tall);from++)for(let x=0;x<
width;x++)this.grown[y*width+x]|=sideways[from*width+x]}return this.grown}},METRICS={energy(values,target){let inside=0,total=0;for(let i=0;i<
values.length;i++){let positive=Math.max(0,values[i]);inside+=positive*target.cover[i],total+=positive}return total>0?inside/total:
target.area},lift:(values,target)=>METRICS.energy(values,target)/target.area,auc(values,{isObject:isObject2}){let objects=isObject2.
reduce((a,b)=>a+b,0),others=values.length-objects;if(!others)return .5;let order=darkestFirst(values),wins=0,below=0;for(let start2=0,
end2;start2<order.length;start2=end2){let here=0;for(end2=start2;end2<order.length&&values[order[end2]]===values[order[start2]];end2++)
here+=isObject2[order[end2]];let equals=end2-start2-here;wins+=here*(below+equals/2),below+=equals}return wins/(objects*others)},iou(values,{
cover,area}){let whole2=area*values.length,order=darkestFirst(values),best=0,inside=0;for(let i=order.length-1;i>=0;i--)inside+=cover[order[i]],
!(i&&values[order[i-1]]===values[order[i]])&&(best=Math.max(best,inside/(order.length-i+whole2-inside)));return best},pointing:(values,target)=>shareOfBrightest(
values,target,target.mask),pointing_near:(values,target)=>shareOfBrightest(values,target,target.near)};function darkestFirst(values){
let n=values.length,bits2=new Uint32Array(values.slice().buffer),keys=new Float64Array(n);for(let i=0;i<n;i++)keys[i]=(bits2[i]>>>
31?~bits2[i]>>>0:bits2[i]+2**31)*n+i;keys.sort();let order=new Uint32Array(n);for(let i=0;i<n;i++)order[i]=keys[i]-Math.floor(keys[i]/
n)*n;return order}function shareOfBrightest(values,target,mask){let{cols,width,patchHeight,patchWidth}=target,top=values.reduce((most,one)=>Math.
max(most,one),-1/0),limit=top-1e-9*Math.abs(top),hits=0,all=0;for(let patch=0;patch<values.length;patch++){if(values[patch]<limit)
continue;let y=(Math.floor(patch/cols)+.5)*patchHeight-.5,x=(patch%cols+.5)*patchWidth-.5;for(let row2 of[Math.floor(y),Math.ceil(
y)])for(let col of[Math.floor(x),Math.ceil(x)])hits+=mask[row2*width+col]/4;all+=1}return hits/all}function centrePrior([rows,cols]){
return Float32Array.from({length:rows*cols},(_,i)=>{let y=(Math.floor(i/cols)+.5)/rows*2-1,x=(i%cols+.5)/cols*2-1;return Math.exp(
-2*(x*x+y*y))})}function metricOf(all,view){let found=all.find(({name:name2})=>name2===view.metric);if(!found)throw new TypeError(
`There is no metric '${view.metric}'.`);return found}var isYesOrNo=value=>value===0||value===1,WRITTEN={share:{short:hundredths,long:percent},
area:{short:hundredths,long:value=>value.toFixed(2)},times:{short:value=>value.toFixed(1),long:value=>`${value.toFixed(1)} ×`},hit:{
short:value=>isYesOrNo(value)?value?"✓":"–":hundredths(value),long:(value,words)=>isYesOrNo(value)?words.say(value?"yes":"no"):
percent(value)}};function hundredths(value){return String(Math.round(100*value))}var short=(value,{format})=>WRITTEN[format].short(
value),long=(value,{format},words)=>WRITTEN[format].long(value,words);var isObject=value=>typeof value=="object"&&value!==null&&!Array.isArray(value),isIn=(low,high)=>value=>typeof value=="number"&&value>=
low&&value<=high,oneOf=(initial,names)=>({initial,values:names,fits:value=>names.includes(value),write:value=>value??"",read:text3=>text3||
null}),name=initial=>({initial,fits:value=>value===null?initial===null:typeof value=="string"&&/^[^\p{C}<>&]{1,64}$/u.test(value),
write:value=>value??"",read:text3=>text3||null}),number=(initial,low,high)=>({initial,fits:isIn(low,high),write:String,read:text3=>text3.
trim()?Number(text3):null}),index=(initial,most=1e6)=>({initial,fits:value=>value===null?initial===null:Number.isInteger(value)&&isIn(
0,most)(value),write:value=>value===null?"":String(value),read:text3=>text3.trim()?Number(text3):null}),flag=initial=>({initial,values:[
!1,!0],fits:value=>typeof value=="boolean",write:value=>value?"1":"0",read:text3=>({1:!0,0:!1})[text3]}),place=()=>({initial:null,
fits:value=>value===null||Array.isArray(value)&&value.length===2&&value.every(isIn(-9,9)),write:value=>value?value.join(","):"",read:text3=>text3?
text3.split(",").map(share=>share.trim()?Number(share):NaN):null}),json=(initial,fits)=>({initial,fits,write:JSON.stringify,read:JSON.
parse}),passing=key=>({...key,passes:!0}),moving=key=>({...key,moves:!0}),State=class{constructor(declared){this.declared={...declared},
this.values=Object.fromEntries(Object.entries(declared).map(([key,{initial}])=>[key,initial])),this.listeners=new Set}key(key){if(!Object.
hasOwn(this.declared,key))throw new TypeError(`The state has no '${key}': a panel must declare it.`);return this.declared[key]}get(key){
return this.key(key),this.values[key]}all(){return{...this.values}}set(changes){for(let[key,value]of Object.entries(changes))if(!this.
key(key).fits(value))throw new TypeError(`The state's '${key}' cannot be ${JSON.stringify(value)}.`);let changed=Object.keys(changes).
filter(key=>!isSame(changes[key],this.values[key]));if(changed.length){this.values={...this.values,...changes};for(let listener of[
...this.listeners])listener(changed)}}subscribe(listener){return this.listeners.add(listener),()=>this.listeners.delete(listener)}save(){
return Object.fromEntries(this.kept().map(key=>[key,structuredClone(this.values[key])]))}load(saved){let found=isObject(saved)?saved:
{},changes={};for(let[key,{initial,fits,passes}]of Object.entries(this.declared))passes||(changes[key]=Object.hasOwn(found,key)&&fits(
found[key])?structuredClone(found[key]):initial);this.set(changes)}toHash(instead={}){let values={...this.values,...instead};return this.
kept(values).map(key=>`${key}=${encodeURIComponent(this.declared[key].write(values[key]))}`).join("&")}fromHash(text3){let found={},
strange=[];for(let[key,written]of new URLSearchParams(text3.replace(/^#/,"").replaceAll("+","%2B"))){let value=this.read(key,written);
value===void 0?strange.push(key):found[key]=value}return this.load(found),strange}said(text3){let found=[...new URLSearchParams(text3)].
map(([key,written])=>[key,this.read(key,written)]);return Object.fromEntries(found.filter(([,value])=>value!==void 0))}read(key,written){
let declared=Object.hasOwn(this.declared,key)&&this.declared[key];if(!(!declared||declared.passes))try{let value=declared.read(written);
return declared.fits(value)?value:void 0}catch{return}}offer(key,names){let{initial}=this.key(key);this.declared[key]={...this.declared[key],
values:names,fits:value=>value===initial||names.includes(value)}}kept(values=this.values){let isKept=key=>!this.declared[key].passes&&
!isSame(values[key],this.declared[key].initial);return Object.keys(this.declared).filter(isKept)}};function isSame(a,b){return Object.
is(a,b)?!0:typeof a=="object"&&typeof b=="object"&&JSON.stringify(a)===JSON.stringify(b)}var LENS=156,orders=ATLAS_ORDERS.map(name2=>`<option value="${name2}">$order_${name2}</option>`),panel_atlas={name:"atlas",place:"\
maps",order:10,shows:({depth})=>depth==="wide",html:`
    <div class="viz-atlas-title"><b>$atlas_title</b> <span class="viz-atlas-hint">$atlas_hint</span> <span class="viz-layer-grid">\
</span>
      <label><span data-term="entropy distance cls sinks score">$order</span> <select class="viz-order">${orders.join("")}</select\
></label></div>
    <p class="viz-atlas-numbers"></p>
    <div class="viz-atlas-box">
      <canvas class="viz-atlas" role="img" aria-label="$atlas_label"></canvas>
      <div class="viz-unseen"><table class="viz-listing" role="grid" aria-label="$atlas_label"></table></div>
      <div class="viz-lens" hidden><canvas class="viz-lens-map"></canvas><div class="viz-lens-said"></div></div>
    </div>`,state:{order:oneOf("layers",ATLAS_ORDERS)},mount(root,{state,words,colours,metrics}){let find=finder(root),canvas=find(
"atlas"),atlas=new Atlas(canvas,words),choices=[...find("order").options],listing=new Listing(find("listing"),{pick:place2=>pick(place2),
peek:place2=>state.set({peek:place2&&[place2.row,place2.column]})}),view=null,laidOut=null,inked=null,sorted2=null;bind(find("orde\
r"),"change",state,({value})=>({order:value})),canvas.addEventListener("pointermove",event=>{if(!view||event.pointerType==="touch")
return;let cell=atlas.cellAt(event);state.set({peek:cell&&[cell.row,cell.column]})}),canvas.addEventListener("pointerleave",()=>state.
set({peek:null})),canvas.addEventListener("click",event=>{let cell=view&&atlas.cellAt(event);cell&&pick(cell)});function pick({row:row2,
column}){let name2=view.columns[column];if(typeof name2=="number"){let map={layer:row2,head:name2,fusion:"one",method:"attention",
crossBlock:null};name2<view.payload.layers[row2].heads&&state.set(map);return}let fusion=fusedAs(view);state.set({layer:row2,fusion,
method:name2==="mean"?"attention":"rollout",crossBlock:null})}function figure(by,place2){return by==="score"?view.scores?.table[place2.
row][place2.column]??null:view.measured(place2)?.[by]??null}function order(){let by=view.order;if(by==="layers")return sorted2=null;
let{payload}=view,key=[by,payload.id,payload.run,view.chosen,view.metric].join();if(sorted2?.key===key&&view.query!==view.chosen)return sorted2.
order;let heads=payload.layers.flatMap((layer,row2)=>[...Array(layer.heads).keys()].map(column=>[row2,column])),found=ranked(heads,
([row2,column])=>figure(by,{row:row2,column}),by);return found?(sorted2={key,order:found},sorted2.order):sorted2?.key===key?sorted2.
order:null}function inks(){let theme=document.body.className;if(inked?.theme===theme)return inked;let style=getComputedStyle(root);
return inked={theme,ink:style.color,accent:style.getPropertyValue("--color-accent")||"#f97316"}}function draw(next){if(view=next,!isSeen())
return;laidOut!==view.payload&&atlas.layout(laidOut=view.payload,view.heads,view.columns);let metric=metricOf(metrics,view);atlas.
draw({cells:view.cells,map:colourOf(colours,view),selected:view.selected,hovered:view.pointed,...inks(),scores:view.scores&&{...view.
scores,text:value=>short(value,metric)},order:order(),fusion:fusedAs(view)}),lensed()&&atlas.drawLarge(find("lens-map"),view.pointed,
view.cells)}let isSeen=()=>view.depth==="wide"||view.lights.includes("atlas"),isAt=()=>canvas.matches(":hover")||listing.hasFocus,
lensed=()=>!!(view.pointed&&view.cells[view.pointed.row][view.pointed.column]&&isAt());function show(){if(isSeen()){write(find("la\
yer-grid"),layerInWords()),write(find("atlas-numbers"),atlas.numbersInWords(view.scores&&metricOf(metrics,view).title)),find("orde\
r").value!==view.order&&(find("order").value=view.order);for(let option of choices)option.disabled=!isKnown(option.value);showLens(),
listing.soon(listed)}}function listed(){let by=view.order!=="layers"?view.order:view.scores?"score":"entropy",metric=metricOf(metrics,
view),write2={score:value=>long(value,metric,words),entropy:value=>value.toFixed(2),distance:value=>value.toFixed(0)},say=(row2,column)=>{
if(view.cells[row2][column]===void 0)return null;let value=figure(by,{row:row2,column});if(value==null)return"–";let said=(write2[by]??
percent)(value);return by==="score"&&view.scores.isBest(row2,column)?words.say("listing_best",{value:said}):said},what=by==="score"?
metric.title:words.say(`listing_${by}`);return{caption:words.say("listing",{name:tokenName(words,view,view.crossed?view.chosen:view.
query),what}),columns:view.columns.map(name2=>typeof name2=="number"?words.say("listing_head",{head:name2+1}):atlas.nameOf(name2,!1)),
rows:view.cells.map((_,row2)=>words.say("listing_layer",{layer:row2+1})),texts:view.cells.map((cells,row2)=>cells.map((_,column)=>say(
row2,column))),selected:view.selected}}function isKnown(by){return by==="layers"||by===view.order?!0:by==="score"?!!view.scores:view.
cells.some((cells,row2)=>cells[0]&&view.measured({row:row2,column:0})?.[by]!==null)}function showLens(){let lens=find("lens");if(lens.
hidden=!lensed(),lens.hidden)return;let box2=atlas.box(view.pointed.row,view.pointed.column);if(!box2)return;let[left,right]=[box2.
x/atlas.ratio,(box2.x+box2.w)/atlas.ratio],width=canvas.clientWidth;lens.style.left=`${right+LENS<=width?right+4:Math.max(0,left-LENS)}\
px`,lens.style.top=`${Math.max(0,Math.min(box2.y/atlas.ratio-40,canvas.clientHeight-lens.offsetHeight))}px`;let said=lines();find(
"lens-said").textContent!==said.join("")&&find("lens-said").replaceChildren(...said.map(line=>tagged("p",line)))}function lines(){
let{pointed}=view,found=view.measured(pointed),score=view.scores?.table[pointed.row][pointed.column]??null,metric=metricOf(metrics,
view),said=(number2,key,values)=>number2==null?[]:[words.say(key,values(number2))];return[mapName(words,view,pointed),...said(score,
"lens_score",value=>({title:metric.title,value:long(value,metric,words)})),...said(found?.entropy,"lens_entropy",value=>({entropy:value.
toFixed(2),n:Math.exp(value).toFixed(0)})),...said(found?.distance,"lens_distance",value=>({distance:value.toFixed(0)})),...said(found?.
cls,"lens_cls",value=>({share:percent(value)})),...said(found?.sinks,"lens_sinks",value=>({share:percent(value)}))]}function layerInWords(){
if(view.payload.isPlain||view.crossed)return"";let{queries,keys,windowed}=view.here,[rows,cols]=queries.grid,[keyRows,keyCols]=keys.
grid,kind=[String(queries.grid)===String(keys.grid)?"grid":"grids",...windowed?["windows"]:[]].join("_");return words.say(`layer_${kind}`,
{layer:view.layer+1,rows,cols,keyRows,keyCols})}return{draw,show,atlas}}};var OPENS={steps:"number",teach:"teach",atlas:"wide",score:"score"};function depthOf(state){let key=Object.keys(OPENS).find(one=>state[one]);
return key?OPENS[key]:"picture"}function openOnly(key){return{...Object.fromEntries(Object.keys(OPENS).map(one=>[one,one===key])),
hover:null,tool:null}}var MOTION=180;function travel(box2,isDeeper){if(isStill())return;let from={opacity:0,transform:`scale(${isDeeper?
.96:1.04})`};box2.animate([from,{opacity:1,transform:"none"}],{duration:MOTION,easing:"ease-out"})}var panel_back={name:"back",place:"told",order:5,html:'<button class="viz-back" title="$back_help"></button>',keys:{Escape:"key_ba\
ck"},shows:({depth})=>depth!=="picture",mount(root,{state,words}){let find=finder(root),leave=()=>state.set(openOnly(null));return find(
"back").addEventListener("click",leave),{show:({layer,depth})=>{depth!=="picture"&&write(find("back"),words.say("back",{layer:layer+
1,depth:words.say(`back_${depth}`)}))},press:()=>depthOf(state.all())!=="picture"&&!state.get("tool")&&leave()}}};var NAMESPACE="http://www.w3.org/2000/svg";function svg(name2,attributes,text3=""){let made2=document.createElementNS(NAMESPACE,name2);
for(let[key,value]of Object.entries(attributes))value!==""&&made2.setAttribute(key,String(value));return made2.textContent=text3,made2}var SIDE=112,[LAYER,GAP2,HIGH]=[10,3,60],MOST_PATCHES=7,MOST_HEADS=16,Network=class{constructor(words){this.words=words,this.element=
box("viz-way"),this.payload=null,this.layer=-1,this.parts={};for(let part2 of PARTS){let made2={box:box("viz-way-part"),figure:box(
"viz-way-figure"),name:box("viz-way-name"),place:box("viz-way-place")};made2.box.dataset.part=part2,made2.figure.setAttribute("ari\
a-hidden","true"),made2.box.append(made2.figure,made2.name,made2.place),this.element.append(made2.box),this.parts[part2]=made2}}light(lit){
for(let part2 of PARTS)this.parts[part2].box.toggleAttribute("data-lit",part2===lit)}show({payload,layer},readout){if(payload===this.
payload&&layer===this.layer)return;Object.assign(this,{payload,layer});let{picture,patches,layers,readout:read,answer}=this.parts,
[rows,columns]=payload.grid,each=new Set(payload.layers.map(({heads})=>heads)),[label,share]=payload.top[0]??["",0];picture.figure.
replaceChildren(whole(payload.bitmap)),patches.figure.replaceChildren(cut(payload.bitmap,payload.window,[rows,columns])),layers.figure.
replaceChildren(columnsOf(payload.layers,layer)),read.figure.replaceChildren(text("b",readout)),answer.figure.replaceChildren(...label?
[text("b",label),text("span",percent(share))]:[text("b","–")]);let say=(part2,key,values={})=>part2.name.textContent=this.words.
say(key,values);say(picture,"way_picture"),say(patches,"way_patches",{n:rows*columns}),each.size===1?say(layers,"way_layers",{n:payload.
layers.length,heads:[...each][0]}):say(layers,"way_layers_only",{n:payload.layers.length}),say(read,"way_readout"),say(answer,label?
"way_answer":"way_no_answer")}};function whole(bitmap){let scale=SIDE/Math.max(bitmap.width,bitmap.height),[wide,high]=[bitmap.width*
scale,bitmap.height*scale],{canvas,pen}=sheet();return pen.drawImage(bitmap,(SIDE-wide)/2,(SIDE-high)/2,wide,high),canvas}function cut(bitmap,[
left,top,right,bottom],[rows,columns]){let{canvas,pen}=sheet(),[wide,high]=[(right-left)*bitmap.width/columns,(bottom-top)*bitmap.
height/rows],[down,across]=[Math.min(rows,MOST_PATCHES),Math.min(columns,MOST_PATCHES)],side2=SIDE/Math.max(down,across),[x,y]=[(SIDE-
side2*across)/2,(SIDE-side2*down)/2];for(let row2=0;row2<down;row2++)for(let column=0;column<across;column++){let fromX=left*bitmap.
width+(column+(columns-across>>1))*wide,fromY=top*bitmap.height+(row2+(rows-down>>1))*high;pen.drawImage(bitmap,fromX,fromY,wide,high,
x+column*side2,y+row2*side2,.8*side2,.8*side2)}return canvas}function columnsOf(layers,at){let drawing=svg("svg",{viewBox:`0 0 ${layers.
length*(LAYER+GAP2)-GAP2} ${HIGH}`,preserveAspectRatio:"none"});return layers.forEach(({heads},i)=>{let pieces=heads>MOST_HEADS?1:
heads,high=HIGH/pieces;for(let k=0;k<pieces;k++)drawing.append(svg("rect",{x:i*(LAYER+GAP2),y:k*high,width:LAYER,height:high-(k<pieces-
1?1.5:0),class:i===at?"viz-way-here":"viz-way-layer"}))}),drawing}function sheet(){let canvas=Object.assign(document.createElement(
"canvas"),{width:SIDE,height:SIDE});return{canvas,pen:canvas.getContext("2d")}}function box(name2){return Object.assign(document.createElement(
"div"),{className:name2})}function text(tag,said){return Object.assign(document.createElement(tag),{textContent:said})}var LAST="layer=last",BESIDE=["picture","model"],MET=["changed","any","none"];function notUnderstood(state,{sets="",done={}}){for(let[
key,written]of sets===LAST?[]:new URLSearchParams(sets))if(state.read(key,written)===void 0)return`${key}=${written}`;let strange=Object.
entries(done).find(([key,value])=>!isGoal(state,key,value));return strange?strange.join(" = "):""}function isGoal(state,key,value){
return BESIDE.includes(key)?typeof value=="string":Object.hasOwn(state.declared,key)?MET.includes(value)||key==="layer"&&value==="\
last"?!0:state.declared[key].fits(String(value).startsWith(">=")?Number(value.slice(2)):value):!1}function depthOf2({cells,heads,payload,truth,direction}){return direction!=="from"||payload.layers.some((_,layer)=>!cells[layer][heads])?
null:payload.layers.map((layer,i)=>{let rows=cells[i].slice(0,layer.heads).filter(Boolean),{values,layout}=cells[i][heads],cls=layout.
prefix.indexOf("cls"),target=truth.targetOn(layout.grid),mean=measure=>rows.reduce((sum3,row2)=>sum3+measure(row2.values,row2.layout,
payload.input),0)/rows.length;return{entropy:rows.length?mean(entropy2):null,apart:rows.length?mean(apart):null,own:cls<0?null:values[cls],
object:target&&METRICS.energy(values.subarray(layout.first),target)}})}function entropy2(values){return values.reduce((sum3,share)=>share>
0?sum3-share*Math.log(share):sum3,0)}function apart(values,{first,grid:[rows,cols]},[height,width]){let[all,y,x]=[0,0,0],each=visit=>{
for(let i=0;i<rows*cols;i++)visit(values[first+i],(Math.floor(i/cols)+.5)/rows*height,(i%cols+.5)/cols*width)};if(each((share,down,right)=>{
all+=share,y+=share*down,x+=share*right}),!(all>0))return 0;let sum3=0;return each((share,down,right)=>sum3+=share*Math.hypot(down-
y/all,right-x/all)),sum3/all}var largest3=({map:{values,layout}})=>values.subarray(layout.first).reduce((a,b)=>Math.max(a,b),0),energy=({map:{values,layout},truth},target=truth.
targetOn(layout.grid))=>target&&METRICS.energy(values.subarray(layout.first),target),prefix=({map:{values,layout}})=>values.subarray(
0,layout.first).reduce((a,b)=>a+b,0),ends=(view,key)=>{let all=depthOf2(view);return all&&all[0][key]!==null?[all[0][key],all.at(-1)[key]]:
null},widths=({cells,layer,here})=>cells[layer].slice(0,here.heads).map(cell=>cell&&Math.exp(-cell.values.reduce((sum3,p)=>p>0?sum3+
p*Math.log(p):sum3,0))),extreme=(view,isBetter)=>{let all=widths(view);return all.includes(null)?null:all.reduce((best,one,i)=>isBetter(
one,all[best])?i:best,0)},some=(value,write2)=>value==null?null:write2(value),side=({payload:{input,grid,sees}})=>{let length2=Math.
round(input[0]/grid[0]);return sees?.some(one=>one!==length2)?null:length2},READINGS={model:({view})=>view.payload.model,rows:({view})=>view.
payload.grid[0],columns:({view})=>view.payload.grid[1],patches:({view})=>view.payload.grid[0]*view.payload.grid[1],tokens:({view})=>view.
here.keys.tokens,tokens_less:({view})=>view.here.keys.tokens-1,side:({view})=>side(view),colours:({view})=>some(side(view),length2=>3*
length2**2),layers:({view})=>view.payload.layers.length,heads:({view})=>view.here.heads,layer:({view})=>view.layer+1,head:({view})=>view.
head+1,row:({view})=>some(view.cell,([row2])=>row2+1),column:({view})=>some(view.cell,([,column])=>column+1),even:({view})=>some(view.
even,count=>percent(1/count)),share:({view})=>percent(largest3(view)),times:({view})=>some(view.even,count=>times(largest3(view)*count)),
on_prefix:({view})=>percent(prefix(view)),on_patches:({view})=>percent(1-prefix(view)),object:({view})=>some(energy(view),percent),
area:({view})=>some(view.truth.target,({area})=>percent(area)),things:({view,words})=>words.list(view.truth.parts.map(({name:name2,
on})=>words.say("score_part",{name:name2,share:percent(energy(view,on(view.map.layout.grid))??0)}))),object_first:({view})=>some(ends(
view,"object"),([first])=>percent(first)),object_last:({view})=>some(ends(view,"object"),([,last])=>percent(last)),own_first:({view})=>some(
ends(view,"own"),([first])=>percent(first)),own_last:({view})=>some(ends(view,"own"),([,last])=>percent(last)),wide_first:({view})=>some(
ends(view,"entropy"),([first])=>Math.round(Math.exp(first))),wide_last:({view})=>some(ends(view,"entropy"),([,last])=>Math.round(Math.
exp(last))),narrow_head:({view})=>some(extreme(view,(a,b)=>a<b),head=>head+1),narrow:({view})=>some(extreme(view,(a,b)=>a<b),head=>Math.
round(widths(view)[head])),wide_head:({view})=>some(extreme(view,(a,b)=>a>b),head=>head+1),wide:({view})=>some(extreme(view,(a,b)=>a>
b),head=>Math.round(widths(view)[head])),skip:({view})=>percent(view.skipWeight),label:({view})=>view.payload.top[0]?.[0]??null,sure:({
view})=>some(view.payload.top[0]?.[1],percent),label_then:({then})=>then[0]?.[0]??null,sure_then:({then})=>some(then[0]?.[1],percent),
sure_now:({view,then,words})=>{let now=view.payload.top.find(([label])=>label===then[0]?.[0]);return now?percent(now[1]):some(view.
payload.top.at(-1)?.[1],least=>words.say("book_less",{share:percent(least)}))},object_trend:({view})=>some(ends(view,"object"),([first,
last])=>last>1.1*first?"more":last<.9*first?"less":"same"),heads_alike:({view})=>some(extreme(view,(a,b)=>a<b),()=>Math.max(...widths(
view))>2*Math.min(...widths(view))?"no":"yes"),named:({view})=>view.payload.top[0]?.[0]??null};function filled2(html,seen){let isWhole=!0,
text3=html.replace(/\{(\w+)\}/g,(_,name2)=>{let value=seen.found?.[name2]??(Object.hasOwn(READINGS,name2)?READINGS[name2](seen):null);
return isWhole&&=value!==null,String(value).replace(/[&<>"]/g,sign=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[sign]??sign)});
return isWhole?text3:null}var running=new Set;function later(what,pause=0){let timer=Number(setTimeout(()=>{running.delete(timer),what()},pause));return running.
add(timer),timer}function callOff(timer){clearTimeout(timer),running.delete(timer)}var isAnyRunning=()=>running.size>0;var panel_book={name:"book",place:"maps",order:2,shows:({isReading})=>isReading,html:`
    <section class="viz-book" aria-label="$book" tabindex="-1" hidden>
      <div class="viz-book-head">
        <button class="viz-book-back" aria-label="$book_back">‹</button><button class="viz-book-whole" title="$book_whole"><span c\
lass="viz-unseen">$book_whole</span></button><button class="viz-book-on" aria-label="$book_on">›</button><button class="viz-book-c\
lose" aria-label="$book_close" title="$book_close">×</button>
      </div>
      <div class="viz-book-text"></div>
      <div class="viz-book-tasks"></div>
      <div class="viz-book-foot"><button class="viz-book-next"></button></div>
    </section>`,mount(root,{state,words,ask,colours,book,exercises:exercises2}){let find=finder(root),box2=find("book"),speak=speaker(
find("book-tasks")),view=null,opened="",number2=0,wanted=0,running2=null,then=[],waiting=[],names=book.chapters.map(({name:name2})=>name2);
names.length&&state.offer("chapter",names);let network=new Network(words);find("book-whole").append(network.element);function turn(by){
wanted=Math.min(book.chapters.length-1,Math.max(0,wanted+by)),book.open(book.chapters[wanted].name)}find("book-back").addEventListener(
"click",()=>turn(-1)),find("book-on").addEventListener("click",()=>turn(1)),find("book-whole").addEventListener("click",()=>book.open(
book.whole?.name)),find("book-close").addEventListener("click",()=>book.close()),find("book-next").addEventListener("click",()=>number2+
1<book.chapters.length?turn(1):book.close()),box2.addEventListener("keydown",event=>{let by={PageDown:1,PageUp:-1}[event.key];if(by)
turn(by);else if(event.key==="Escape")book.close();else return;event.preventDefault(),event.stopPropagation()}),root.ownerDocument.
addEventListener("keydown",event=>{let by={PageDown:1,PageUp:-1}[event.key];!by||!opened||event.defaultPrevented||!root.closest(".\
viz")?.classList.contains("viz-presented")||(turn(by),event.preventDefault())});function begin(at){leave(),number2=wanted=at;let chapter=book.
chapters[at];opened=chapter.name,book.memory.chapter=opened,then=view?.payload.top??[],network.light(chapter.part),put(find("book-\
whole"),{hidden:!book.whole||chapter===book.whole}),put(find("book-back"),{disabled:at===0}),put(find("book-on"),{disabled:at===book.
chapters.length-1});let next=book.chapters[at+1];write(find("book-next"),next?words.say("book_next",{title:plain(next.title)}):words.
say("book_end")),delete find("book-next").dataset.ready;let heading=document.createElement("h2");heading.innerHTML=chapter.title,chapter!==
book.whole&&heading.prepend(tagged("span",String(at))," "),find("book-text").replaceChildren(heading,...chapter.text.map(paragraph)),
task(0),intoView(box2)}function leave(){running2?.stop?.(),running2=null,waiting=[],opened="",find("book-tasks").replaceChildren()}
function paragraph(html,found={}){let line=document.createElement("p");return waiting.push({line,html,found}),line}function fill(){
if(!view)return;let seen={view,words,then};waiting=waiting.filter(({line,html,found})=>{let text3=/\{\w+\}/.test(html)&&!view?.map.
values?null:filled2(html,{...seen,found});if(text3===null)return!0;line.innerHTML=text3,line.className==="viz-answer"&&speak(()=>line.
textContent??"");for(let term of line.querySelectorAll("[data-term]"))put(term,{role:"button",tabIndex:0});return!1})}function task(at){
let spec=book.chapters[number2].exercises[at],before=find("book-tasks").lastElementChild;if(!spec)return find("book-next").dataset.
ready="true",book.memory.finished(opened),before&&reveal(before),find("book-next");let item=document.createElement("div");item.className=
"viz-task",item.tabIndex=-1;let place2=document.createElement("div");if(place2.className="viz-task-body",spec.question){let question=paragraph(
spec.question);question.className="viz-question",item.append(question)}item.append(place2),find("book-tasks").append(item);let own=opened,
known=exercises2.find(({kind})=>kind===spec.kind),strange=notUnderstood(state,spec);if(!known||strange){let why=known?words.say("b\
ook_unread",{part:strange}):words.say("book_strange",{kind:spec.kind});return place2.append(tagged("p",why)),item}let isDone=!1;return running2=
known.mount(place2,{spec,name:`${opened}/${at}`,chapter:number2,state,words,colours,ask:(kind,what)=>ask(kind,view?.payload.run??"",
what),open:link=>book.road.open(link),here:()=>book.road.here(),book,done:found=>{if(own!==opened)return;if(spec.answer){item.querySelector(
".viz-answer")?.remove();let answer=paragraph(spec.answer,found);answer.className="viz-answer",item.append(answer),fill()}if(isDone)
return;isDone=!0;let hasFocus=item.contains(root.ownerDocument.activeElement);item.dataset.done="true",later(()=>{if(own!==opened)
return;let before2=running2;others.push(before2);let next=task(at+1);hasFocus&&next.focus({preventScroll:!0}),running2===before2&&
(running2=null),view&&show(view)})}}),view&&running2?.show?.(view),before&&reveal(before),item}function reveal(item){let found=item.
querySelector(".viz-pairs, table, .viz-guesses, .viz-verdict:not(:empty), .viz-answer");found&&intoView(found)}let depth="",others=[];
function show(shown){view=shown;let at=book.at(view.chapter);if(put(box2,{hidden:at<0}),at<0)return opened&&leaveAll();if(book.chapters[at].
name!==opened){let focused=box2.contains(root.ownerDocument.activeElement)?root.ownerDocument.activeElement:null;leaveAll(),begin(
at),focused&&(!focused.isConnected||focused.hidden)&&box2.focus({preventScroll:!0})}else if(view.depth!==depth){let asked=find("bo\
ok-tasks").lastElementChild;later(()=>asked&&intoView(asked))}depth=view.depth,fill(),network.show(view,words.say(...nameKey("chip",
view.payload.readout)));for(let one of[...others,running2])one?.show?.(view)}function leaveAll(){for(let one of others)one?.stop?.();
others=[],leave()}return{show}}};var FEW=12,MOST2=400,panel_cross={name:"cross",place:"explore",order:7,html:`
    <div class="viz-line viz-cross-line" hidden>
      <label title="$cross_help">$cross</label>
      <select class="viz-cross-block"></select>
      <input class="viz-cross-query" type="number" min="1" step="1" title="$cross_query" aria-label="$cross_query" />
      <span class="viz-chips viz-cross-chips" role="group" aria-label="$cross_chips"></span>
    </div>`,keys:{Escape:"key_back"},mount(root,{state,words}){let find=finder(root),view=null,chips=[],named="",seen=null;pair(root.
querySelector("label"),find("cross-block")),bind(find("cross-block"),"change",state,({value})=>({crossBlock:value===""?null:Number(
value),hover:null})),find("cross-query").addEventListener("input",({target})=>{let number2=Number(target.value);Number.isInteger(number2)&&
number2>=1&&look(number2-1)});let lastBlock=()=>view.payload.cross.length-1,look=query=>state.set({crossQuery:query,crossBlock:view.
crossBlock??lastBlock(),hover:null});function begin({cross}){find("cross-line").hidden=!cross.length;let options=cross.map(({name:name2},block)=>new Option(
words.say("cross_block",{n:block+1,all:cross.length,name:name2}),String(block)));find("cross-block").replaceChildren(new Option(words.
say("cross_off"),""),...options),named=""}function nameChips(queries){let many=queries.length>FEW;chips=queries.slice(0,MOST2).map(
(name2,query)=>{let chip=document.createElement("button");return chip.textContent=many?String(query+1):words.say(...nameKey("chip",
name2)),chip.title=words.say(...nameKey("name",name2)),chip.onclick=()=>isShown(query)?state.set({crossBlock:null}):look(query),chip}),
find("cross-chips").replaceChildren(...chips),find("cross-query").hidden=!many,find("cross-query").max=queries.length}let isShown=query=>view.
crossBlock!==null&&view.crossQuery===query;function show(shown){view=shown;let{cross}=view.payload;if(!cross.length)return;let{queries}=cross[view.
crossBlock??lastBlock()];named!==queries.join()&&nameChips(queries),named=queries.join(),find("cross-block").value=view.crossBlock===
null?"":String(view.crossBlock),document.activeElement!==find("cross-query")&&(find("cross-query").value=view.crossQuery+1);for(let[
query,chip]of chips.entries())chip.setAttribute("aria-pressed",String(isShown(query)));let pressed=view.crossBlock===null?null:chips[view.
crossQuery];pressed&&pressed!==seen&&(find("cross-chips").scrollTop=pressed.offsetTop-chips[0].offsetTop),seen=pressed}function press2(){
if(!view||view.crossBlock===null||view.tool)return!1;state.set({crossBlock:null})}return{reset:begin,swap:begin,show,press:press2}}};var KEYS={n:"steps",t:"teach",o:"score",a:"atlas"},panel_doors={name:"doors",place:"doors",order:10,html:`
    <button class="viz-number" aria-pressed="false" title="$number_help">$number</button>
    <button class="viz-judge" aria-pressed="false" title="$judge_help"></button>
    <button class="viz-teach-open" aria-pressed="false" title="$teach_help">$teach</button>
    <button class="viz-learn" title="$book_help">$book_open</button>`,keys:{n:"key_number",a:"key_atlas",o:"key_object",t:"key_tea\
ch",b:"key_book"},shows:({depth,isReading})=>depth==="picture"&&!isReading,mount(root,{state,words,book}){let find=finder(root),turn=key=>state.
set(openOnly(state.get(key)?null:key));find("number").addEventListener("click",()=>turn("steps")),find("judge").addEventListener("\
click",()=>turn("score")),find("teach-open").addEventListener("click",()=>turn("teach")),find("learn").addEventListener("click",()=>book.
open());function show(view){put(find("number"),{"aria-pressed":view.steps}),put(find("teach-open"),{"aria-pressed":view.teach}),put(
find("judge"),{"aria-pressed":view.score});for(let one of["judge","teach-open"])put(find(one),{hidden:view.isReading});put(find("l\
earn"),{hidden:view.isReading||!book.chapters.length}),write(find("judge"),words.say(view.truth.target?"judge_known":"judge_mark"))}
function press2(key){if(key!=="b")return turn(KEYS[key]);state.get("chapter")?book.close():book.open()}return{show,press:press2}}};var buttons=FUSIONS.map(name2=>`<button data-set="fusion" data-value="${name2}" title="$${name2}_help">$${name2}</button>`),panel_fusion={
name:"fusion",place:"show",order:10,html:`
    <label><span data-term="head fusion">$fusion_label</span></label>
    <span class="viz-group" role="group" aria-label="$fusion_label">${buttons.join("")}</span>
    <label class="viz-skip-box"><span data-term="skip rollout">$skip</span>
      <input class="viz-skip" type="range" min="0.05" max="0.95" step="0.05" value="0.5" /><output class="viz-skip-value"></output\
>
    </label>`,mount(root,{state}){let find=finder(root),fusion=new Choice(root,state);bind(find("skip"),"input",state,({value})=>({
skipWeight:Number(value)}));function show(view){fusion.show(view.isOne?null:fusedAs(view)),put(find("skip-box"),{hidden:!view.payload.
canRoll}),Number(find("skip").value)!==view.skipWeight&&(find("skip").value=view.skipWeight),write(find("skip-value"),percent(view.
skipWeight))}return{show}}};var HALF=.5,ABOUT=["from","to","rollout","rollout_to","map"],panel_headline={name:"headline",place:"told",order:10,html:'<div clas\
s="viz-room viz-headline-room"><h2 class="viz-headline"></h2></div>',shows:({depth,isReading})=>depth==="picture"&&!isReading,mount(root,{
words}){let find=finder(root);function show(view){let[[label]=[""]]=view.payload.top,says=label&&!view.payload.caution?words.say("\
headline_says",{label}):"";if(!view.isPointing){let[ofPatch,ofToken]=longest(words,view).map(half=>words.told([says,half]));put(find(
"headline-room"),{"data-pointed":ofPatch,"data-rest":ofToken})}write(find("headline"),words.told([says,halfOf(words,view)]))}return{
show}}};function halfOf(words,view){let{map,kind,isWhole}=view,found=map.values&&spread(map.values,map.layout,HALF);if(!found)return"";
let about=isWhole||kind==="to"?kind:"map";return words.say(`headline_${about}`,{name:plainName(words,view.query,view.here.queries),
patches:found.patches,all:found.all})}function longest(words,{payload,here,query}){let{queries}=here,all=queries.grid[0]*queries.grid[1],
tokens=[...payload.finest.prefix,...payload.named].map(name2=>words.say(...nameKey("name",name2)));return[[plainName(words,queries.
tokens-1,queries)],[...tokens,plainName(words,query,queries)]].map(some2=>some2.flatMap(name2=>ABOUT.map(about=>words.say(`headlin\
e_${about}`,{name:name2,patches:all,all}))).reduce((most,one)=>one.length>most.length?one:most))}var GAP3=3,NAMED=16,hasName=(n,all)=>all<=NAMED||n%5===0,Strip=class{constructor(box2){this.box=box2;let canvas=this.canvas=box2.querySelector(
"canvas");this.names="",this.onPage=new Measured(canvas,()=>[canvas.clientWidth,canvas.clientHeight]),this.sheet=document.createElement(
"canvas"),this.image=null;let slider=box2.querySelector("input"),before=slider.value;slider.addEventListener("pointerdown",()=>before=
slider.value),slider.addEventListener("pointercancel",()=>{slider.value=before,slider.dispatchEvent(new Event("input",{bubbles:!0}))})}draw(cells,map){
let[width,height]=this.onPage.now;if(!width||!height)return;let ratio=window.devicePixelRatio||1,[across,down]=[Math.round(width*ratio),
Math.round(height*ratio)];(this.canvas.width!==across||this.canvas.height!==down)&&Object.assign(this.canvas,{width:across,height:down});
let context=this.canvas.getContext("2d"),step=across/cells.length,gap=Math.min(GAP3*ratio,step/8);context.clearRect(0,0,across,down),
context.imageSmoothingQuality="medium",cells.forEach((cell,i)=>{let x=i*step+gap/2,w=step-gap,aspect=cell?cell.layout.grid[0]/cell.
layout.grid[1]:1,[wide,high]=aspect*w>down?[down/aspect,down]:[w,aspect*w],place2=[x+(w-wide)/2,(down-high)/2,wide,high];if(!cell)
return context.fillStyle="rgba(128, 128, 128, 0.15)",context.fillRect(...place2);let{values,layout,reach}=cell,[rows,cols]=layout.
grid;this.fit(cols,rows),map.fill(this.pixels,cols,0,0,values,layout.first,layout.grid,cell.high||1,255,reach),reach&&hatchBelow(context,
place2,ratio),this.sheet.getContext("2d").putImageData(this.image,0,0),context.imageSmoothingEnabled=wide<cols,context.drawImage(this.
sheet,...place2)})}name(names){if(this.names===names.join("|"))return;this.names=names.join("|"),this.box.style.setProperty("--cou\
nt",String(names.length));let spans=names.map(textContent=>Object.assign(document.createElement("span"),{textContent}));this.box.querySelector(
".viz-strip-names")?.replaceChildren(...spans)}fit(width,height){this.image?.width===width&&this.image.height===height||(Object.assign(
this.sheet,{width,height}),this.image=new ImageData(width,height),this.pixels=new Uint32Array(this.image.data.buffer))}};var panel_heads={name:"heads",place:"explore",order:20,html:`
    <div class="viz-strip-title">
      <label><span data-term="head">$head</span></label>
      <output class="viz-head-value"></output>
      <button class="viz-wide" title="$atlas_help"></button>
    </div>
    <div class="viz-strip viz-head-strip">
      <canvas></canvas>
      <input class="viz-head" type="range" min="0" max="1" step="1" value="0" />
      <div class="viz-strip-names" aria-hidden="true"></div>
    </div>`,keys:{",":"key_head",".":"key_head"},shows:({depth})=>depth!=="wide"&&depth!=="number",mount(root,{state,words,colours}){
let find=finder(root),strip=new Strip(find("head-strip")),view=null;pair(root.querySelector("label"),find("head")),find("head").addEventListener(
"input",({target})=>choose(Number(target.value))),find("wide").addEventListener("click",()=>state.set(openOnly("atlas")));function choose(at){
view&&(at>view.here.heads?state.set({method:"rollout",fusion:fusedAs(view)}):at>0?state.set({head:at-1,fusion:"one",method:"attent\
ion"}):state.set({fusion:fusedAs(view),method:"attention"}))}function placeOf({method,isOne,head,here}){return method==="rollout"?
here.heads+1:isOne?head+1:0}function cellsOf(view2){let{cells,layer,heads,here,crossed}=view2;if(crossed)return crossed.cells;let row2=cells[layer];
return[row2[heads],...row2.slice(0,here.heads),...rolls(view2)?[row2[heads+1]]:[]]}let rolls=({payload,isReading,needs,method})=>payload.
canRoll&&(!isReading||needs.includes("fusion")||method==="rollout");function draw(next){strip.draw(cellsOf(next),colourOf(colours,
next))}function show(shown){view=shown;let all=view.here.heads,count=all+1+Number(rolls(view)&&!view.crossed);put(find("head"),{max:count-
1,value:placeOf(view),"aria-valuetext":nameOf4(placeOf(view))}),write(find("head-value"),view.isOne?words.say("of",{n:view.head+1,
all}):words.say("all")),write(find("wide"),words.say("atlas_open",{n:view.payload.layers.reduce((sum3,{heads})=>sum3+heads,0)}));let numberOf=n=>hasName(
n,all)&&(hasName(1,all)||n<all-2)?String(n):"";strip.name(Array.from({length:count},(_,i)=>i===0||i>all?nameOf4(i):numberOf(i)))}function nameOf4(place2){
return place2===0?words.say(fusedAs(view)):place2>view.here.heads?words.say("rollout_short"):words.say("head_n",{n:place2})}function press2(key){
let next=view.isOne?view.head+(key===","?-1:1):view.head,head=Math.min(Math.max(0,next),view.here.heads-1);state.set({head,fusion:"\
one",method:"attention"})}return{draw,show,press:press2}}};var KEY="vizapp-pointed",panel_invite={name:"invite",place:"stage",order:25,html:'<p class="viz-invite">$invite</p>',mount(root){let line=finder(
root)("invite"),isFollowed=wasFollowed();function show({hovered,pinned,guess,isReading,depth}){!isFollowed&&(hovered||pinned)&&(isFollowed=
remember()),put(line,{hidden:isFollowed||guess!==null||isReading||depth!=="picture"})}return{show}}};function wasFollowed(){try{return localStorage.
getItem(KEY)!==null}catch{return!1}}function remember(){try{localStorage.setItem(KEY,"1")}catch{}return!0}var STEP=600,CALM_STEP=1500,panel_layers={name:"layers",place:"explore",order:10,html:`
    <div class="viz-strip-title">
      <label><span data-term="layer">$layers</span></label>
      <output class="viz-layer-value"></output>
      <span class="viz-opens">
        <details class="viz-more viz-opens-more">
          <summary title="$opens_more" aria-label="$opens_more">?</summary>
          <div class="viz-more-panel"><p class="viz-opens-said"></p><p class="viz-opens-why"></p></div>
        </details>
      </span>
    </div>
    <div class="viz-strip-row">
      <button class="viz-play" aria-pressed="false" title="$play_help" aria-label="$play_help">&#9654;</button>
      <div class="viz-strip viz-layer-strip">
        <canvas></canvas>
        <input class="viz-layer" type="range" min="1" max="1" step="1" value="1" />
        <div class="viz-strip-names" aria-hidden="true"></div>
      </div>
    </div>`,keys:{"[":"key_layer","]":"key_layer"," ":"key_play"},shows:({depth})=>depth!=="wide"&&depth!=="number",mount(root,{state,
words,colours}){let find=finder(root),strip=new Strip(find("layer-strip")),playing=0,from="",view=null;closing(find("opens-more")),
pair(root.querySelector("label"),find("layer")),bind(find("layer"),"input",state,({value})=>({layer:value-1,crossBlock:null})),find(
"play").addEventListener("click",()=>view&&play());let go=layer=>state.set({layer:Math.min(Math.max(0,layer),view.payload.layers.length-
1),crossBlock:null});function begin({layers}){let all=layers.length,nameOf4=n=>n===1||hasName(n,all)?String(n):"";strip.name(layers.
map((_,i)=>nameOf4(i+1)))}function play(){if(playing)stop();else{let calm=isStill();playing=setInterval(step,calm?CALM_STEP:STEP),
from=placeOf(view),go(0)}showPlayer()}function step(){if(view.layer+1<view.payload.layers.length)return go(view.layer+1);stop(),showPlayer()}
let placeOf=({depth,chapter,guess,payload})=>[depth,chapter,guess===null,payload.id].join();function stop(){clearInterval(playing),
playing=0}function showPlayer(){put(find("play"),{"aria-pressed":!!playing}),write(find("play"),playing?"‖":"▶")}function*drawLater(next){
let maps=[];for(let row2 of next.cells)maps.push(row2[next.column]),yield;strip.draw(maps,colourOf(colours,next))}function show(shown){
view=shown,playing&&from!==placeOf(view)&&stop();let all=view.payload.layers.length;put(find("layer"),{max:all,value:view.layer+1});
let{opens}=view;put(find("opens-more"),{hidden:opens.layer===all-1&&!opens.mark&&!!view.payload.lesson}),write(find("layer-value"),
words.say("of",{n:view.layer+1,all})),showPlayer(),showOpening(view)}function showOpening({opens,payload}){let all=payload.layers.
length,name2=words.say(...nameKey("name",payload.readout)),said={layer:opens.layer+1,all,name:name2,mark:opens.mark,nats:opens.nats.
toFixed(2)},kind=opens.mark?"mark":opens.isEven?"even":"own";write(find("opens-said"),words.say(`opens_on_${kind}`,said)),write(find(
"opens-why"),words.told([words.say(`opens_why_${kind}`,said),words.say("opens_stays")]))}function press2(key){key===" "?play():go(
view.layer+(key==="["?-1:1))}return{reset:begin,swap:begin,drawLater,show,press:press2,stop}}};function legendOf(words,view){let{high,values}=view.map,isWindow=view.reach&&view.here.windowed&&view.phrase.startsWith("from"),kind=view.
phrase==="to"&&view.even===null?"to_apart":isWindow?view.phrase.replace("from","window"):view.phrase,part2=percent(high/view.onPatches);
return{high:words.say(`legend_${kind}`,{share:percent(high),times:times(high*view.even),part:part2}),low:values?.some(value=>value<
0)?"≤ 0":"0"}}function barOf(colour,canvas=Object.assign(document.createElement("canvas"),{width:256,height:1})){let context=canvas.
getContext("2d");for(let i=0;i<256;i++)context.fillStyle=colour.css(i/255),context.fillRect(i,0,1,1);return canvas}var panel_legend={name:"legend",place:"stage",order:30,shows:({opacity})=>opacity>0,html:`
    <div class="viz-legend">
      <span class="viz-shut" hidden><i></i><span></span></span><span class="viz-low">0</span><canvas class="viz-bar" width="256" h\
eight="1"></canvas><span class="viz-high" data-term="uniform"></span>
    </div>`,mount(root,{words,colours}){let find=finder(root),painted2=null;function show(view){let colour=colourOf(colours,view);
painted2!==colour&&barOf(painted2=colour,find("bar"));let{low,high}=legendOf(words,view);write(find("high"),high),write(find("low"),
low),put(find("shut"),{hidden:!view.reach}),view.reach&&write(find("shut").lastChild,words.say(unseen(view.here)));let explains=termsOf(
view);find("high").dataset.term!==explains&&(find("high").dataset.term=explains)}return{show}}};function unseen({windowed,mask}){return windowed?
mask===void 0?"legend_outside":"legend_outside_or_hidden":"legend_hidden"}function termsOf({phrase,fusion,reach,here}){return phrase.
endsWith(`_${fusion}`)?"fusion":phrase.endsWith("_few")?"attention cls":reach&&here.windowed&&phrase==="from"?"uniform window":"un\
iform"}var panel_lesson={name:"lesson",place:"maps",order:18,shows:({depth,isReading,question})=>depth==="score"||depth==="picture"&&!isReading&&
question,html:`
    <div class="viz-lesson" hidden>
      <p class="viz-lesson-asks"></p>
      <button class="viz-lesson-answer" aria-expanded="false">$lesson_answer</button>
      <span class="viz-lesson-walk"><button class="viz-lesson-back" aria-label="$lesson_back">‹</button><output class="viz-lesson-\
at"></output><button class="viz-lesson-on" aria-label="$lesson_on">›</button></span>
      <p class="viz-lesson-says" hidden></p>
    </div>`,mount(root,{words,book}){let find=finder(root),speak=speaker(find("lesson-says")),view=null,isOpen=!1,go=by=>{let lesson=view?.
payload.lesson;if(!lesson)return;let number2=(lesson.number+by+lesson.of)%lesson.of;book.road.open(book.road.here().replace(/picture=[^&]*/,
`picture=lesson/${lesson.name}/${number2}`))};find("lesson-back").addEventListener("click",()=>go(-1)),find("lesson-on").addEventListener(
"click",()=>go(1)),find("lesson-answer").addEventListener("click",()=>{isOpen=!isOpen,view&&show(view),speak(()=>find("lesson-says").
textContent)});let begin=()=>isOpen=!1;function show(shown){view=shown;let{lesson}=view.payload;put(find("lesson"),{hidden:!lesson||
view.shapes.length>0}),lesson&&(write(find("lesson-asks"),lesson.question),write(find("lesson-at"),words.say("lesson_at",{title:lesson.
title,n:lesson.number+1,of:lesson.of})),put(find("lesson-answer"),{"aria-expanded":isOpen}),put(find("lesson-says"),{hidden:!isOpen}),
isOpen&&write(find("lesson-says"),answer(view)))}function answer({payload,truth,map,selected}){let[[label,share]=["",0]]=payload.top,
isRight=payload.lesson?.answers.includes(label),said=words.say(isRight?"lesson_right":"lesson_wrong",{label,share:percent(share),truth:words.
list([...new Set(payload.lesson?.answers)])});if(!map.values||!selected)return label?said:words.say("arriving");let values=map.values.
subarray(map.layout.first),each=truth.parts.map(({name:name2,on})=>{let target=on(map.layout.grid);return words.say("lesson_part",
{name:name2,share:percent(METRICS.energy(values,target)??0),area:percent(target.area)})}),where=mapName(words,view,selected),patches=percent(
view?.onPatches??1);return words.told([label?said:"",words.say("lesson_map",{where,patches,parts:words.list(each)})])}return{reset:begin,
swap:begin,show}}};var FLAGS={"by-value":"byValue",smooth:"smooth",grid:"grid"},scales=SCALES.map(name2=>`<option value="${name2}">$scale_${name2}</o\
ption>`),panel_look={name:"look",place:"look",order:10,html:`
    <div class="viz-row viz-look">
      <label><span data-term="scale">$scale</span> <select class="viz-scale">${scales.join("")}</select></label>
      <label class="viz-fixed-box" title="$fixed_help"><input class="viz-fixed" type="number" min="0.1" max="100" step="0.5" value\
="5" />&#8201;%</label>
      <label title="$colours_help">$colours <select class="viz-colours"></select></label>
      <label title="$opacity_help">$opacity <input class="viz-opacity" type="range" min="0" max="1" step="0.05" /></label>
      <label title="$by_value_help"><input class="viz-by-value" type="checkbox" checked /> $by_value</label>
      <label title="$smooth_help"><input class="viz-smooth" type="checkbox" /> $smooth</label>
      <label title="$grid_help"><input class="viz-grid" type="checkbox" checked /> $grid</label>
    </div>`,mount(root,{state,colours}){let find=finder(root);find("colours").append(...Object.keys(colours).map(name2=>new Option(
name2))),state.offer("colours",Object.keys(colours)),bind(find("scale"),"change",state,({value})=>({scale:value})),bind(find("fixe\
d"),"input",state,({value})=>({fixed:Math.min(1,Math.max(.001,value/100))})),bind(find("colours"),"change",state,({value})=>({colours:value})),
bind(find("opacity"),"input",state,({value})=>({opacity:Number(value)}));for(let[name2,key]of Object.entries(FLAGS))bind(find(name2),
"change",state,({checked})=>({[key]:checked}));function show(view){put(find("fixed-box"),{hidden:view.scale!=="fixed"});for(let name2 of[
"scale","colours"])find(name2).value!==view[name2]&&(find(name2).value=view[name2]);Number(find("opacity").value)!==view.opacity&&
(find("opacity").value=view.opacity);for(let[name2,key]of Object.entries(FLAGS))find(name2).checked=view[key];view.scale==="fixed"&&
document.activeElement!==find("fixed")&&(find("fixed").value=Number((100*view.fixed).toFixed(3)))}return{show}}};var panel_notes={name:"notes",place:"top",order:10,html:'<div class="viz-notes" role="note"></div>',mount(root,{words}){let notes=finder(
root)("notes"),begin=payload=>notes.textContent=words.told(payload.notes);return{reset:begin,swap:begin}}};var panel_pages={name:"pages",place:"told",order:7,html:`
    <p class="viz-pages" role="group">
      <button type="button" class="viz-page-before" aria-label="$page_before" title="$page_before">‹</button>
      <span class="viz-page" aria-live="polite"></span>
      <button type="button" class="viz-page-next" aria-label="$page_next" title="$page_next">›</button>
    </p>`,shows:({payload})=>!!payload.pages,mount(root,{words,turn}){let find=finder(root),[page,last]=[1,1],[before,next]=[find(
"page-before"),find("page-next")];before.addEventListener("click",()=>page>1&&turn?.(page-1)),next.addEventListener("click",()=>page<
last&&turn?.(page+1));function begin({pages}){if(!pages)return;[page,last]=[pages.page,pages.pages],write(find("page"),words.say(pages.
isAll?"page_of":"page_of_least",{page,pages:last}));let isFixed=!turn||!pages.turns;put(before,{hidden:isFixed,"aria-disabled":page===
1}),put(next,{hidden:isFixed,"aria-disabled":page===last})}return{reset:begin,swap:begin}}};var UNSEEN=.005,FIRST=3,WORTH=.01,panel_prediction={name:"prediction",place:"found",order:60,html:`<p class="viz-cut"></p><p class\
="viz-caution"></p><div class="viz-prediction"></div>
    <button class="viz-labels-more" aria-expanded="false">$labels_more</button>`,state:{labels:passing(flag(!1))},shows:({depth,isReading})=>depth===
"picture"&&!isReading,mount(root,{state,words}){let find=finder(root);find("labels-more").addEventListener("click",()=>state.set({
labels:!state.get("labels")}));let begin=({top,window:window2,caution})=>{find("prediction").replaceChildren(...top.map(rowOf)),find(
"prediction").dataset.doubtful=String(!!caution),write(find("caution"),caution),write(find("cut"),cutInWords(words,window2))};function show({
labels,payload}){[...find("prediction").children].forEach((row2,i)=>put(row2,{hidden:i>=FIRST&&!labels})),put(find("labels-more"),
{hidden:!labels&&!(payload.top[FIRST]?.[1]>=WORTH),"aria-expanded":labels}),write(find("labels-more"),words.say(labels?"labels_few\
er":"labels_more"))}return{reset:begin,swap:begin,show}}};function cutInWords(words,[left,top,right,bottom]){let inside=(from,to)=>Math.
min(1,to)-Math.max(0,from),[wide,high]=[inside(left,right),inside(top,bottom)],isCut=[wide,high].map(share=>share<1-UNSEEN),key=isCut[0]?
isCut[1]?"cut_edges":"cut_sides":"cut_ends";return isCut.includes(!0)?words.say(key,{share:percent(wide*high)}):""}function rowOf([
label,share]){let row2=document.createElement("div");row2.innerHTML="<i></i><span></span><span></span>";let[bar,name2,value]=row2.
children;return bar.style.width=`${100*share}%`,name2.textContent=label,value.textContent=percent(share),row2}var STEPS2=[...Object.keys(OPENS),"chapter","pinned","tool"],panel_present={name:"present",place:"stage",order:3,html:'<button cla\
ss="viz-present viz-icon" aria-pressed="false" title="$present_help" aria-label="$present"><svg viewBox="0 0 16 16" aria-hidden="t\
rue"><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" /></svg></button>',keys:{p:"key_present",Escape:"key_back"},
mount(root,{state,book}){let button=finder(root)("present"),page=root.ownerDocument,whole2=()=>root.closest(".viz"),stage=()=>whole2().
querySelector(".viz-stage"),where=()=>JSON.stringify(STEPS2.map(key=>state.get(key))),began="";function turn(isOn2){whole2().classList.
toggle("viz-presented",isOn2),button.setAttribute("aria-pressed",String(isOn2)),began=where(),isOn2?(stage().focus({preventScroll:!0}),
whole2().requestFullscreen?.().catch(()=>{})):page.fullscreenElement===whole2()&&page.exitFullscreen()}let isOn=()=>whole2().classList.
contains("viz-presented");button.addEventListener("click",()=>turn(!isOn())),page.addEventListener("fullscreenchange",()=>{page.fullscreenElement===
whole2()||!isOn()||whole2().dispatchEvent(new KeyboardEvent("keydown",{key:"Escape",bubbles:!0,cancelable:!0}))}),page.defaultView.
addEventListener("keydown",event=>{if(event.defaultPrevented||event.key!=="Escape"||!isOn())return;event.preventDefault();let isElsewhere=where()!==
began;isElsewhere&&depthOf(state.all())!=="picture"?state.set(openOnly(null)):isElsewhere&&state.get("chapter")?book.close():turn(
!1)});function press2(key){if(key==="Escape"&&(!isOn()||where()!==began))return!1;turn(!isOn())}return{press:press2}}};var REST3=700,panel_proof={name:"proof",place:"found",order:50,shows:({depth,isReading})=>depth==="picture"&&!isReading,html:`
    <div class="viz-model">
      <p class="viz-says"></p>
      <details class="viz-proof" data-state="none">
        <summary title="$proof_help">$proof_mark</summary>
        <div class="viz-proof-panel" tabindex="0" role="region" aria-label="$proof_help">
          <div class="viz-proof-said"></div>
          <div class="viz-proof-table">
            <table>
              <thead><tr><th colspan="2">$proof_layer</th><th>$proof_shape</th><th>$proof_tokens</th><th>$proof_error</th><th>$pro\
of_sum</th></tr></thead>
              <tbody class="viz-proof-layers"></tbody>
            </table>
            <p><b>$proof_layer</b>: $proof_layer_help <b>$proof_shape</b>: $proof_shape_help <b>$proof_tokens</b>: $proof_tokens_h\
elp
              <b>$proof_error</b>: $proof_error_help <b>$proof_sum</b>: $proof_sum_help</p>
          </div>
        </div>
      </details>
    </div>`,mount(root,{ask,words}){let find=finder(root),mark=find("proof"),summary=mark.firstElementChild,now=null;async function begin(payload){
if(payload.model!==now?.model&&setState("none"),now=payload,write(find("says"),words.say(payload.top.length?"prediction":"no_predi\
ction",{model:payload.model})),payload.film&&await new Promise(over=>later(()=>over(),REST3)),payload!==now)return;let found=await ask(
"proof",payload.run);payload===now&&(found.layers?showFound(payload,found):found.rounded?showRounded(found.rounded):found.made?showMade(
found.made):found.untested?showUntested(found.untested):setState("none"))}function setState(state){mark.dataset.state=state,state===
"none"&&(mark.open=!1)}function showFound(payload,found){tell(found.caution?"proof_mark_part":"proof_mark",[...found.caution?[found.
caution]:[],...found.details,words.say("proof_how",{model:payload.model}),words.say("proof_found",{worst:tiny(found.worst),tolerance:tiny(
found.tolerance)}),counted(words,found),words.say("proof_unchanged",{changed:tiny(found.changed)}),words.say("proof_browser")]);let numbers2=new Map(
payload.layers.map(({name:name2},layer)=>[name2,layer+1]));find("proof-layers").replaceChildren(...found.layers.map(layer=>rowOf2(
layer,numbers2))),setState("exact")}function showUntested(reason){tell("proof_mark_untested",[words.say("proof_untested",{reason})]),
setState("untested")}function showRounded(sentences2){tell("proof_mark_rounded",sentences2,"proof_rounded_help"),setState("rounded")}
function showMade(sentence){tell("proof_mark_made",[sentence],"proof_made_help"),setState("made")}function tell(word,sentences2,help="\
proof_help"){Object.assign(summary,{textContent:words.say(word),title:words.say(help)}),find("proof-said").replaceChildren(...sentences2.
map(sentence=>tagged("p",sentence)))}return closing(mark),{reset:begin,swap:begin,stop:()=>{now=null}}}};function counted(words,{softmaxes,
seen,elsewhere}){if(softmaxes<=seen)return words.say("proof_all",{softmaxes});let names=words.list(elsewhere);return words.say(elsewhere.
length?"proof_some_named":"proof_some",{softmaxes,seen,names})}function rowOf2([name2,shape,tokens,error,rowSum],numbers2){let row2=document.
createElement("tr"),sum3=rowSum===null?"–":rowSum?`1 ± ${tiny(rowSum)}`:"1",cells=[numbers2.get(name2)??"",name2,shape?shape.join(
" × "):"",tokens,tiny(error),sum3];return row2.append(...cells.map(text3=>tagged("td",text3))),row2}function scoreGuess(values,layout,cells){let{first,grid}=layout,[rows,cols]=grid,patches=Array.from(values.subarray(first,first+rows*
cols),value=>Math.max(0,value)),n=cells.length,whole2=patches.reduce((a,b)=>a+b,0);if(!n||!(whole2>0))return null;let around=patches.
map((_,at)=>regionOf([Math.floor(at/cols),at%cols],grid)),sum3=some2=>[...new Set(some2.flatMap(at=>around[at]))].reduce((all,at)=>all+
patches[at],0),mine=sum3(cells.map(([row2,col])=>row2*cols+col)),best=Math.max(mine,sum3(bestPlaces(patches,around,n)));return{mine:mine/
best,centre:middle(patches,grid,n)/best,chance:byChance(patches,around,n)/best}}function regionOf([row2,col],[rows,cols]){let near=(at,all)=>Array.
from({length:all},(_,i)=>i).slice(Math.max(0,at-1),at+1+1);return near(row2,rows).flatMap(y=>near(col,cols).map(x=>y*cols+x))}function bestPlaces(patches,around,n){
let places=[];for(let step=0;step<n*3;step++){let taken=new Set(places.filter((_,i)=>i!==step%n).flatMap(at=>around[at])),gains=around.
map(region=>region.reduce((all,at)=>all+(taken.has(at)?0:patches[at]),0));places[step%n]=gains.indexOf(Math.max(...gains))}return places}
function middle(patches,[rows,cols],n){let far=patches.map((_,at)=>Math.hypot(Math.floor(at/cols)-(rows-1)/2,at%cols-(cols-1)/2)),
count=Math.min(patches.length,n*3**2),edge=[...far].sort((a,b)=>a-b)[count-1],inside=patches.filter((_,at)=>far[at]<edge-1e-9),ring=patches.
filter((_,at)=>Math.abs(far[at]-edge)<=1e-9),sum3=some2=>some2.reduce((a,b)=>a+b,0);return sum3(inside)+(count-inside.length)*sum3(
ring)/ring.length}function byChance(patches,around,n){let all=patches.length,missed=near=>Array.from({length:n},(_,i)=>Math.max(0,
all-near-i)/(all-i)).reduce((a,b)=>a*b,1);return patches.reduce((sum3,value,at)=>sum3+value*(1-missed(around[at].length)),0)}var COLOURS=["#e69f00","#56b4e9","#cc79a7","#009e73","#f0e442"],begun=()=>[{name:"",at:[]},{name:"",at:[]}];function touched({things,
thing,patchAt},place2){let all=things.length?things:begun(),chosen=Math.min(thing,all.length-1),is=other=>String(patchAt(other))===
String(patchAt(place2)),had=all[chosen].at.some(is),left=all.map(({name:name2,at})=>({name:name2,at:at.filter(other=>!is(other))}));
return!had&&left[chosen].at.length<MOST_MARKS&&left[chosen].at.push(place2),left}var nameIn=(things,i,words)=>things[i].name.trim()||
words.say("teach_thing",{n:i+1}),marksOf=things=>JSON.stringify(things.map(({at})=>at));function lessonOf(state,model,words){let taught=state.
get("taught"),things=state.get("things");return taught?.model!==model||taught.these.some(i=>!things[i])||things.some(({at})=>at.length)&&
marksOf(things)!==taught.marks?null:{names:taught.these.map(i=>nameIn(things,i,words)),prototypes:taught.prototypes}}function onStage(view,colours){let{map,truth,here}=view;return{values:view.guess||view.teach&&view.labelled?null:map.values,labels:view.
teach&&view.labelled&&view.taught?.run===view.payload.run?view.taught:null,layout:map.layout,high:map.high,queries:here.queries,map:colourOf(
colours,view),reach:view.reach,opacity:view.opacity,byValue:view.byValue,smooth:view.smooth,showGrid:view.grid,marks:marksOf2(view),
outlines:(view.outline||view.tool)&&!view.guess?truth.parts:[],inputSize:view.payload.input}}function marksOf2({map,here,cell,guess,
marked,cellAt,pinned,crossed,hovered,sinksHere,tool,hand,handCell,payload,steps,asksNumber,teach,things,patchAt}){let{grid}=here.queries,
read=map.layout.grid,guessed=(guess??marked).map(place2=>({cell:cellAt(place2),grid,reach:1,kind:guess?"pinned":"read"}));if(guess)
return cell?[...guessed,{cell,grid,reach:1,kind:"read"}]:guessed;if(teach){let{grid:patches}=payload.layers[payload.layers.length-
1].queries,all=things.flatMap(({at},i)=>at.map(place2=>({cell:patchAt(place2),colour:COLOURS[i]}))).filter(mark=>mark.cell).map(mark=>({
...mark,grid:patches,kind:"pinned"}));return hovered?[...all,{cell:hovered,grid:pinned?read:grid,kind:"read"}]:all}let marks=[...sinksHere.
map(sink=>({cell:sink,grid:read,kind:"sink"})),...guessed];return cell&&marks.push({cell,grid,kind:pinned?"pinned":"query"}),(pinned||
crossed)&&hovered&&(read!==grid||String(hovered)!==String(cell))&&marks.push({cell:hovered,grid:read,kind:"read"}),steps&&asksNumber&&
marks.push({cell:asksNumber,grid:read,kind:"read"}),tool&&hand&&marks.push({cell:handCell,grid:payload.grid,kind:hand.from?"pinned":
"read"}),marks}var Stage=class{constructor(canvas,size=null){this.canvas=canvas,this.size=size,this.onPage=size?null:new Measured(canvas,()=>[canvas.
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
for(let mark of view.marks)this.drawMark(context,input,mark)}drawGround(){let{x,y,w,h}=this.box;this.ground.width=this.canvas.width,
this.ground.height=this.canvas.height;let context=this.ground.getContext("2d");context.filter="grayscale(1) contrast(0.6) brightne\
ss(0.6)",context.drawImage(this.bitmap,x,y,w,h),context.filter="none",this.clipToSeen(context,this.inputBox()),context.drawImage(this.
bitmap,x,y,w,h)}clipToSeen(context,input){for(let{x,y,w,h}of[this.box,input])context.beginPath(),context.rect(x,y,w,h),context.clip()}linesOf({
showGrid,outlines,inputSize},input){let{lines}=this,{width,height}=this.canvas,of=[width,height,...Object.values(this.box),...Object.
values(input),this.grid,showGrid].join();if(lines.of===of&&(lines.outlines===outlines||!(lines.outlines.length+outlines.length)))return lines.
canvas;Object.assign(lines,{outlines,of}),Object.assign(lines.canvas,{width,height});let context=lines.canvas.getContext("2d");this.
clipToSeen(context,input),showGrid&&this.drawGrid(context,input);for(let outline of outlines)this.drawOutline(context,input,outline,
inputSize);return lines.canvas}drawHeat(context,input,view){let{grid,first}=view.layout,[rows,cols]=grid,image2=new ImageData(cols,
rows);view.map.fill(new Uint32Array(image2.data.buffer),cols,0,0,view.values,first,grid,view.high,255);for(let i=0;i<rows*cols;i++){
if(view.reach&&!view.reach[first+i]){image2.data[4*i+3]=0;continue}let fade=view.byValue?Math.sqrt(shareOf(view.values[first+i],view.
high)):1;image2.data[4*i+3]=255*view.opacity*fade}(this.cells.width!==cols||this.cells.height!==rows)&&Object.assign(this.cells,{width:cols,
height:rows}),this.cells.getContext("2d").putImageData(image2,0,0),context.imageSmoothingEnabled=view.smooth,context.imageSmoothingQuality=
"high",context.drawImage(this.cells,input.x,input.y,input.w,input.h),!(!view.reach||!view.opacity)&&(context.globalAlpha=view.opacity,
hatchPatches(context,input,view.layout,view.reach,this.ratio),context.globalAlpha=1)}drawLabels(context,input,{grid:[rows,cols],things,
labels},opacity){let image2=new ImageData(cols,rows);labels.forEach(([thing,share],i)=>{let colour=Number.parseInt(COLOURS[thing].
slice(1),16),sure=Math.sqrt(Math.max(0,(share-1/things)/(1-1/things)));image2.data.set([colour>>16,colour>>8&255,colour&255,255*opacity*
sure],4*i)}),(this.cells.width!==cols||this.cells.height!==rows)&&Object.assign(this.cells,{width:cols,height:rows}),this.cells.getContext(
"2d").putImageData(image2,0,0),context.imageSmoothingEnabled=!1,context.drawImage(this.cells,input.x,input.y,input.w,input.h)}drawGrid(context,input){
let[rows,cols]=this.grid;context.beginPath();for(let row2=1;row2<rows;row2++)context.moveTo(input.x,input.y+row2*input.h/rows),context.
lineTo(input.x+input.w,input.y+row2*input.h/rows);for(let col=1;col<cols;col++)context.moveTo(input.x+col*input.w/cols,input.y),context.
lineTo(input.x+col*input.w/cols,input.y+input.h);context.strokeStyle=`rgba(255, 255, 255, ${rows*cols>1200?.08:.16})`,context.lineWidth=
this.size?this.ratio:1,context.stroke()}drawMark(context,input,{cell:[row2,col],grid:[rows,cols],kind,colour:own="white",reach=0}){
let w=input.w/cols,h=input.h/rows,[left,top]=[Math.max(0,col-reach),Math.max(0,row2-reach)],[right,bottom]=[Math.min(cols,col+reach+
1),Math.min(rows,row2+reach+1)],{ratio}=this,line=(kind==="pinned"?3:2)*ratio,[x,y]=[input.x+col*w,input.y+row2*h],shape=new Path2D;
if(kind==="sink")for(let[right2,down]of[[.5,.1],[.9,.5],[.5,.9],[.1,.5]])shape.lineTo(x+right2*w,y+down*h);else shape.rect(input.x+
left*w,input.y+top*h,(right-left)*w,(bottom-top)*h);shape.closePath(),context.setLineDash(kind==="read"?[4*ratio,3*ratio]:[]);for(let[
colour,width]of[["black",line+2*ratio],[own,line]])context.strokeStyle=colour,context.lineWidth=width,context.stroke(shape);context.
setLineDash([])}drawReach(context,input,{grid:[rows,cols],first},reach){let isIn2=(row2,col)=>row2>=0&&col>=0&&row2<rows&&col<cols&&
reach[first+row2*cols+col],x=col=>input.x+col*input.w/cols,y=row2=>input.y+row2*input.h/rows;context.beginPath();for(let row2=0;row2<
rows;row2++)for(let col=0;col<cols;col++)if(isIn2(row2,col))for(let[down,right,...ends2]of[[-1,0,0,0,0,1],[1,0,1,0,1,1],[0,-1,0,0,
1,0],[0,1,0,1,1,1]])isIn2(row2+down,col+right)||(context.moveTo(x(col+ends2[1]),y(row2+ends2[0])),context.lineTo(x(col+ends2[3]),y(
row2+ends2[2])));let{ratio}=this;context.lineCap="square";for(let[colour,line]of[["rgba(0, 0, 0, 0.6)",3*ratio],["white",ratio]])context.
strokeStyle=colour,context.lineWidth=line,context.stroke()}drawOutline(context,input,{path,top,name:name2,object},[height,width]){
if(!top)return;let{ratio}=this,placed2=new Path2D,matrix=new DOMMatrix([input.w/width,0,0,input.h/height,input.x,input.y]);placed2.
addPath(path,matrix),context.lineCap="round";for(let[colour,line]of[["rgba(0, 0, 0, 0.75)",4*ratio],[object?"#5eead4":"#fb923c",2*
ratio]])context.strokeStyle=colour,context.lineWidth=line,context.stroke(placed2);name2&&this.drawName(context,name2,matrix.transformPoint(
new DOMPoint(...top)),ratio)}drawName(context,name2,{x,y},pixels){let ratio=pixels*Math.max(1,this.canvas.width/pixels/560);context.
font=`${12*ratio}px sans-serif`,context.textBaseline="middle",context.textAlign="left";let wide=context.measureText(name2).width+8*
ratio,tall=17*ratio,{x:left0,y:top0,w,h}=this.box,left=Math.min(left0+w-wide,Math.max(left0,x-wide/2)),top=Math.min(top0+h-tall,Math.
max(top0,y-tall-4*ratio));context.fillStyle="rgba(0, 0, 0, 0.7)",context.fillRect(left,top,wide,tall),context.fillStyle="white",context.
fillText(name2,left+4*ratio,top+tall/2)}pointAt(event){if(!this.box)return null;let area=this.canvas.getBoundingClientRect(),px=(event.
clientX-area.left)*this.canvas.width/area.width,py=(event.clientY-area.top)*this.canvas.height/area.height,inside=share=>Math.min(
1,Math.max(0,share));return[inside((px-this.box.x)/this.box.w),inside((py-this.box.y)/this.box.h)]}placeAt(event){if(!this.box)return null;
let area=this.canvas.getBoundingClientRect(),px=(event.clientX-area.left)*this.canvas.width/area.width,py=(event.clientY-area.top)*
this.canvas.height/area.height,{x,y,w,h}=this.box;return px<x||py<y||px>=x+w||py>=y+h?null:[(px-x)/w,(py-y)/h]}};var FAMILY="Helvetica, Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', sans-serif";function figureOf(picture,{pixels,smooth,bar,caption}){let width=72*pixels/300,high=width*picture.height/picture.width,pictures=[{
canvas:picture,smooth,x:0,y:0,w:width,h:high}],lines=[],y=high+5;if(bar){let base=y+7-.5,left=6+widthOf(bar.low)+4,right=6+widthOf(
bar.high)+4;lines.push({text:bar.low,x:6,y:base,align:"left"}),lines.push({text:bar.high,x:width-6,y:base,align:"right"}),pictures.
push({canvas:bar.canvas,smooth:!0,x:left,y,w:Math.max(10,width-left-right),h:7}),y+=12}for(let text3 of broken(caption,width-12))lines.
push({text:text3,x:6,y:y+7.5,align:"left"}),y+=9.5;return{width,height:y+6,pictures,lines}}var measuring=null;function widthOf(text3){
return measuring??=document.createElement("canvas").getContext("2d"),measuring.font=`${10*7.5}px ${FAMILY}`,measuring.measureText(
text3).width/10}var PIECES=/\s*(?:[（“‘《]*\p{Script=Han}[，。；：、！？）”’》]*|[^\s\p{Script=Han}（“‘《]+|\S)/gu;
function broken(text3,width,measure=widthOf){let lines=[""];for(let piece of text3.match(PIECES)??[]){let longer=lines.at(-1)+piece;
!lines.at(-1)||measure(longer)<=width?lines[lines.length-1]=longer:lines.push(piece.trimStart())}return lines.map(line=>line.trim()).
filter(Boolean)}function painted({width,height,pictures,lines},pixels){let scale=pixels/width,canvas=Object.assign(document.createElement(
"canvas"),{width:Math.round(pixels),height:Math.round(height*scale)}),context=canvas.getContext("2d");context.fillStyle="white",context.
fillRect(0,0,canvas.width,canvas.height);for(let{canvas:picture,smooth,x,y,w,h}of pictures)context.imageSmoothingEnabled=smooth,context.
drawImage(picture,x*scale,y*scale,w*scale,h*scale);context.fillStyle="black",context.font=`${7.5*scale}px ${FAMILY}`;for(let{text:text3,
x,y,align}of lines)context.textAlign=align,context.fillText(text3,x*scale,y*scale);return canvas}var TABLE=Uint32Array.from({length:256},(_,i)=>{let value=i;for(let bit=0;bit<8;bit++)value=value&1?value>>>1^3988292384:value>>>1;
return value});function crc32(bytes){let value=4294967295;for(let byte of bytes)value=value>>>8^TABLE[(value^byte)&255];return(value^
4294967295)>>>0}function joined(parts){let all=parts.map(part2=>typeof part2=="string"?new TextEncoder().encode(part2):part2),bytes=new Uint8Array(
all.reduce((sum3,part2)=>sum3+part2.length,0)),at=0;for(let part2 of all)bytes.set(part2,at),at+=part2.length;return bytes}function little(size,...numbers2){
return Uint8Array.from(numbers2.flatMap(number2=>Array.from({length:size},(_,i)=>Math.floor(number2/256**i)%256)))}var big=number2=>little(
4,number2).reverse();async function deflated(bytes){let stream2=new Blob([bytes]).stream().pipeThrough(new CompressionStream("defl\
ate"));return new Uint8Array(await new Response(stream2).arrayBuffer())}var EPOCH=[0,33];function npz(arrays){let files=Object.entries(arrays).map(([name2,array])=>({name:new TextEncoder().encode(`${name2}\
.npy`),bytes:typeof array=="string"?textual(array):numbers(array)})),parts=[],entries=[],at=0;for(let{name:name2,bytes}of files){let sizes=little(
4,crc32(bytes),bytes.length,bytes.length),common=joined([little(2,0,0,...EPOCH),sizes,little(2,name2.length,0)]),local=joined([little(
4,67324752),little(2,20),common,name2,bytes]),place2=joined([little(2,0,0,0),little(4,0,at)]);entries.push(joined([little(4,33639248),
little(2,20,20),common,place2,name2])),parts.push(local),at+=local.length}let directory=joined(entries),counts=little(2,0,0,files.
length,files.length),end2=joined([little(4,101010256),counts,little(4,directory.length,at),little(2,0)]);return new Blob([joined([
...parts,directory,end2])],{type:"application/octet-stream"})}function numbers({shape,values}){return npy("<f4",shape,new Uint8Array(
Float32Array.from(values).buffer))}function textual(said){let letters2=Array.from(said,letter=>letter.codePointAt(0));return npy(`\
<U${Math.max(1,letters2.length)}`,[],little(4,...letters2.length?letters2:[0]))}function npy(kind,shape,bytes){let axes=shape.length===
1?`${shape[0]},`:shape.join(", "),header=`{'descr': '${kind}', 'fortran_order': False, 'shape': (${axes}), }`,padded=header.padEnd(
Math.ceil((10+header.length+1)/64)*64-11)+`
`;return joined([Uint8Array.of(147),"NUMPY",Uint8Array.of(1,0),little(2,padded.length),padded,bytes])}var BEYOND={"–":150,"—":151,"’":146,"“":147,"”":148,"•":149,"…":133},REPLACED={"−":"–"," ":" "," ":" "," ":"\
 "," ":" ","★":"*"};async function pdf(figure,{pixels,about}){let written=figure.lines.map(line=>({...line,bytes:letters(line.
text)})),isLatin=written.every(({bytes})=>bytes),{width,height}=figure,pictures=isLatin?figure.pictures:[{canvas:painted(figure,pixels),
smooth:!0,x:0,y:0,w:width,h:height}],drawn=pictures.map(({x,y,w,h},i)=>`q ${w} 0 0 ${h} ${x} ${height-y-h} cm /P${i} Do Q
`),said=isLatin?written.map(line=>text2(line,height)):[],content=joined([...drawn,...said.flat()]),named=pictures.map((_,i)=>`/P${i}\
 ${6+i} 0 R`).join(" "),objects=[["<< /Type /Catalog /Pages 2 0 R >>"],["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],[`<< /Type /P\
age /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << ${named} >> /Font << /F 5 0 R >> >>\
 >>`],stream("",content),["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"],...await Promise.all(
pictures.map(image)),[`<< /Creator (vizapp) /Keywords <${utf16(JSON.stringify(about))}> >>`]];return new Blob([assembled(objects)],
{type:"application/pdf"})}function stream(dictionary,bytes){return[`<< ${dictionary} /Length ${bytes.length} >>
stream
`,bytes,`
endstream`]}async function image({canvas,smooth}){let{width,height}=canvas,{data}=canvas.getContext("2d").getImageData(0,0,width,height),
rgb=new Uint8Array(3*width*height);for(let i=0,o=0;i<data.length;i+=4){let clear2=255-data[i+3];for(let c=0;c<3;c++)rgb[o++]=Math.
round(data[i+c]*data[i+3]/255)+clear2}let packed=await deflated(rgb),size=`/Width ${width} /Height ${height} /ColorSpace /DeviceRG\
B /BitsPerComponent 8`;return stream(`/Type /XObject /Subtype /Image ${size} /Filter /FlateDecode /Interpolate ${smooth}`,packed)}
function text2({bytes,x,y,align},height){let left=align==="left"?x:x-7.5*widthOf2(bytes),hex=[...bytes].map(byte=>byte.toString(16).
padStart(2,"0")).join("");return`BT /F ${7.5} Tf ${left.toFixed(2)} ${(height-y).toFixed(2)} Td <${hex}> Tj ET
`}function letters(said){let codes=[...said].map(letter=>{let shown=REPLACED[letter]??letter;return BEYOND[shown]??(shown.charCodeAt(
0)<256&&shown.length===1?shown.charCodeAt(0):null)});return codes.includes(null)?null:Uint8Array.from(codes)}var WIDTHS={32:278,37:889,
44:278,46:278,61:584,215:584,150:556,176:400},NARROW="ijl'|";function widthOf2(bytes){return[...bytes].reduce((sum3,code)=>sum3+(WIDTHS[code]??
letterWidth(String.fromCharCode(code))),0)/1e3}function letterWidth(letter){return NARROW.includes(letter)?222:"ft".includes(letter)?
278:letter==="r"?333:"cksvxyzJ".includes(letter)?500:letter==="m"?833:letter==="w"?722:/[A-Z]/.test(letter)?680:556}function utf16(said){
return[65279,...Array.from({length:said.length},(_,i)=>said.charCodeAt(i))].map(code=>code.toString(16).padStart(4,"0")).join("")}
function assembled(objects){let parts=[joined([`%PDF-1.4
`])],starts=[],at=parts[0].length;objects.forEach((object,i)=>{starts.push(at);let bytes=joined([`${i+1} 0 obj
`,...object,`
endobj
`]);parts.push(bytes),at+=bytes.length});let rows=starts.map(start2=>`${String(start2).padStart(10,"0")} 00000 n 
`).join(""),size=objects.length+1,end2=`xref
0 ${size}
0000000000 65535 f 
${rows}trailer
<< /Size ${size} /Root 1 0 R /Info ${size-1} 0 R >>
startxref
${at}
%%EOF
`;return joined([...parts,end2])}var HEAD=33;async function png(figure,{pixels,about}){let plain2=new Uint8Array(await(await blobOf(painted(figure,pixels))).arrayBuffer()),
perMetre=Math.round(300/.0254),chunks=[chunk("pHYs",joined([big(perMetre),big(perMetre),Uint8Array.of(1)])),chunk("iTXt",joined(["\
Software",Uint8Array.of(0,0,0,0,0),`vizapp ${about.vizapp??""}`.trim()])),chunk("iTXt",joined(["Comment",Uint8Array.of(0,0,0,0,0),
JSON.stringify(about)]))];return new Blob([joined([plain2.subarray(0,HEAD),...chunks,plain2.subarray(HEAD)])],{type:"image/png"})}
function blobOf(canvas){return new Promise((done,fail)=>canvas.toBlob(blob=>blob?done(blob):fail(new Error("too large")),"image/pn\
g"))}function chunk(name2,data){let named=joined([name2,data]);return joined([big(data.length),named,big(crc32(named))])}var escaped=text3=>text3.replace(/[<>&"]/g,sign=>`&#${sign.charCodeAt(0)};`),short2=number2=>String(Number(number2.toFixed(2)));async function svg2({
width,height,pictures,lines},{about}){let images=pictures.map(({canvas,smooth,x,y,w,h})=>{let style=smooth?"":' style="image-rende\
ring: pixelated"';return`<image ${`x="${short2(x)}" y="${short2(y)}" width="${short2(w)}" height="${short2(h)}"`} preserveAspectRa\
tio="none"${style} href="${canvas.toDataURL("image/png")}"/>`}),texts=lines.map(({text:text3,x,y,align})=>`<text x="${short2(x)}" \
y="${short2(y)}" text-anchor="${align==="left"?"start":"end"}">${escaped(text3)}</text>`),[wide,high]=[short2(width),short2(height)],
parts=[`<svg xmlns="http://www.w3.org/2000/svg" width="${wide}pt" height="${high}pt" viewBox="0 0 ${wide} ${high}">`,`<metadata>${escaped(
JSON.stringify(about))}</metadata>`,'<rect width="100%" height="100%" fill="white"/>',...images,`<g font-family="${FAMILY}" font-s\
ize="${7.5}">${texts.join("")}</g>`,"</svg>"];return new Blob([parts.join(`
`)],{type:"image/svg+xml"})}var shortModel=name2=>name2.replace(/^timm:/,"").replace(/^file:(?:[^?]*[\\/])?([^?]*).*$/,"$1");function slug(text3){return text3.
replace(/[^\p{L}\p{N}_.-]+/gu,"-").replace(/^[-.]+|[-.]+$/g,"").slice(0,60)}var modelName=model=>slug(model.startsWith("file:")?shortModel(
model):model),pictureName=picture=>slug(picture.replace(/^[a-z]+\//,"").replace(/\.\w{1,5}$/,"")),joined2=parts=>parts.filter(Boolean).
join("-");function fileName({payload,layer,head,fusion,method,crossed},picture){let which=method==="rollout"?"rollout":fusion==="o\
ne"?`head${head+1}`:fusion;return joined2([pictureName(picture),modelName(payload.model),crossed?"cross":`layer${layer+1}`,which])}var WIDTHS2=[600,6e3],ON_PAGE=400,ATLAS={width:900,height:700},MADE_BY_SERVER={gif:"film",html:"page"},HATCHED=16,VERSION=1,panel_save={
name:"save",place:"stage",order:5,html:`
    <details class="viz-save">
      <summary class="viz-icon" title="$save_help" aria-label="$save"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 10V2\
.5M4.7 5.6 8 2.3l3.3 3.3M5 8H2.5v5.5h11V8H11" /></svg></summary>
      <div class="viz-save-panel" role="region" aria-label="$save_help">
        <div class="viz-row viz-links"><button class="copy-link" title="$copy_link_help">$copy_link</button><button class="copy-fr\
ame" title="$copy_frame_help">$copy_frame</button></div>
        <div class="viz-row">
          <label title="$save_what_help">$save_what <select class="viz-save-what"><option value="overlay">$save_overlay</option><o\
ption value="map">$save_map</option><option value="atlas">$save_atlas</option></select></label>
          <label title="$save_width_help">$save_width <input class="viz-save-width" type="number" min="600" max="6000" step="100" \
value="1200" /> px</label>
        </div>
        <div class="viz-row">
          <button data-format="png" title="$save_png_help">PNG</button><button data-format="svg" title="$save_svg_help">SVG</butto\
n><button data-format="pdf" title="$save_pdf_help">PDF</button><button data-format="npz" title="$save_npz_help">NPZ</button><butto\
n data-format="gif" title="$save_gif_help">$save_gif</button><button data-format="html" title="$save_page_help">$save_page</button\
>
          <button class="viz-save-copy" title="$save_copy_help">$save_copy</button>
        </div>
        <p class="viz-save-said" aria-live="polite"></p>
        <div class="viz-code">
          <p>$code_python <button data-copy="python" disabled>$code_copy</button></p><pre class="viz-code-python"></pre>
          <p>$code_command <button data-copy="command" disabled>$code_copy</button></p><pre class="viz-code-command"></pre>
        </div>
      </div>
    </details>`,mount(root,{state,ask,words,colours,metrics,makes,named}){let find=finder(root),box2=find("save"),view=null,asked="",
buttons2=kind=>[...root.querySelectorAll(`button[data-${kind}]`)],what=()=>find("save-what").value,width=()=>Math.min(WIDTHS2[1],Math.
max(WIDTHS2[0],Math.round(Number(find("save-width").value))||1200)),say=(key,values={})=>write(find("save-said"),key?words.say(key,
values):"");for(let[format,made3]of Object.entries(MADE_BY_SERVER))put(root.querySelector(`[data-format="${format}"]`),{hidden:!makes.
includes(made3)});put(find("links"),{hidden:!makes.includes("link")}),put(find("code"),{hidden:!makes.includes("code")}),box2.addEventListener(
"toggle",()=>box2.open&&code()),closing(box2);for(let button of buttons2("format"))button.addEventListener("click",()=>file(button.
dataset.format));for(let button of buttons2("copy"))button.addEventListener("click",()=>copyText(find(`code-${button.dataset.copy}`).
textContent));find("save-copy").addEventListener("click",copyPicture);async function file(format){let shown=view;if(!isThere(shown))
return say("save_nothing");say("save_wait");try{let asked2=askedFor[format],blob=asked2?await asked2(shown):await made2(format,shown,
aboutOf(shown,await answerOf(shown))),name2=`${fileName(shown,named())}${what()==="atlas"&&!asked2?"-atlas":""}.${format}`;download(
blob,name2),say("save_done",{name:name2})}catch(error){say("save_failed",{reason:error.message})}}let isThere=shown=>!!(what()==="\
atlas"?shown?.cells:shown?.map.values);function made2(format,shown,about){if(format==="npz")return npz(arraysOf(shown,about));let pixels=width(),
figure=drawn(shown,pixels);return{png,svg:svg2,pdf}[format](figure,{pixels,about})}let askedFor={gif:shown=>answered("film",shown,
shown.crossed?null:viewOf(shown)),html:shown=>answered("page",shown,null)};async function answered(kind,shown,asked2){let{gif,html,
why}=await ask(kind,shown.payload.run,asked2);if(!gif&&!html)throw new Error(why||words.say("asked_lost"));return new Blob([bytesOf(
gif??html)],{type:gif?"image/gif":"text/html"})}async function copyPicture(){if(!isThere(view))return say("save_nothing");try{let blob=blobOf(
painted(drawn(view,width()),width()));await navigator.clipboard.write([new ClipboardItem({"image/png":blob})]),say("save_copied")}catch{
say("save_no_clipboard")}}async function copyText(text3){try{await navigator.clipboard.writeText(text3),say("save_copied")}catch{say(
"save_no_clipboard")}}function drawn(shown,pixels){let kind=what(),colour=colourOf(colours,shown),legend2=legendOf(words,shown),bar=kind!==
"atlas"||["all","fixed"].includes(shown.scale)?{canvas:barOf(colour),...legend2}:null,canvas=kind==="overlay"?overlay(shown,pixels):
kind==="map"?mapAlone(shown,colour):atlasOf(shown,pixels,colour);return figureOf(canvas,{pixels,smooth:kind!=="map"||shown.smooth,
bar,caption:caption(shown,kind)})}function overlay(shown,pixels){let{bitmap}=shown.payload,canvas=document.createElement("canvas");
canvas.width=pixels,canvas.height=Math.round(pixels*bitmap.height/bitmap.width);let ratio=pixels/ON_PAGE,stage=new Stage(canvas,{width:pixels/
ratio,height:canvas.height/ratio,ratio});return stage.setPicture(shown.payload),stage.draw(onStage({...shown,hovered:null},colours)),
canvas}function mapAlone({map,reach,smooth},colour){let{grid,first}=map.layout,[rows,cols]=grid,canvas=Object.assign(document.createElement(
"canvas"),{width:cols,height:rows}),image2=new ImageData(cols,rows);if(colour.fill(new Uint32Array(image2.data.buffer),cols,0,0,map.
values,first,grid,map.high,255,reach),canvas.getContext("2d").putImageData(image2,0,0),!reach)return canvas;let[w,h]=[HATCHED*cols,
HATCHED*rows],large=Object.assign(document.createElement("canvas"),{width:w,height:h}),context=large.getContext("2d");return context.
imageSmoothingEnabled=smooth,context.drawImage(canvas,0,0,w,h),hatchPatches(context,{x:0,y:0,w,h},map.layout,reach,1),large}function atlasOf(shown,pixels,colour){
let canvas=document.createElement("canvas"),atlas=new Atlas(canvas,words,{...ATLAS,ratio:pixels/ATLAS.width}),metric=metricOf(metrics,
shown);return atlas.layout(shown.payload,shown.heads,shown.columns),atlas.draw({cells:shown.cells,map:colour,selected:null,hovered:null,
ink:"black",accent:"black",scores:shown.scores&&{...shown.scores,text:value=>short(value,metric)},order:null,fusion:fusedAs(shown)}),
canvas}function caption(shown,kind){let{payload,scale}=shown,said=kind==="atlas"?(()=>{let how=scale==="map"?[words.say("save_atla\
s_own")]:scale==="layer"?[words.say("save_atlas_layer")]:[],scored=shown.scores?[words.say("save_atlas_scored",{title:metricOf(metrics,
shown).title})]:[];return[words.say("save_atlas_caption",{fusion:words.say(`atlas_${fusedAs(shown)}`)}),...how,...scored]})():[mapSentence(
words,{...shown,hovered:null})];return(kind==="atlas"?shown.cells.flat().some(cell=>cell?.reach):shown.reach)&&said.push(words.say(
"save_hatched")),[`${payload.model}.`,words.told([...said,payload.caution,...payload.notes])].join(" ")}function arraysOf(shown,about){
let told={about:JSON.stringify(about)};if(what()!=="atlas"){let{values,layout}=shown.map,patches=values.subarray(layout.first);return{
values:{shape:[layout.tokens],values},scores:{shape:layout.grid,values:patches},...told}}let arrays={};return shown.cells.forEach(
(row2,layer)=>{let maps=row2.slice(0,shown.payload.layers[layer].heads);if(!maps.every(Boolean))return;let{layout}=maps[0],values=Float32Array.
from(maps.flatMap(cell=>[...cell.values]));arrays[`layer_${layer}`]={shape:[maps.length,layout.tokens],values}}),{...arrays,...told}}
function aboutOf(shown,answer){let{prefix:prefix2,grid}=shown.map.layout,seen={sentence:mapSentence(words,{...shown,hovered:null}),
high:shown.map.high,prefix:prefix2,grid};return{format:`vizapp-view ${VERSION}`,...answer.about??{model:shown.payload.model},numbers:"\
as they are sent to the page: in half precision; vizapp.save writes them in full",view:{...state.save(),...viewOf(shown),...seen}}}
function viewOf(shown){let{method,layer,isOne,direction,skipWeight,cell,query,here,opacity,byValue,smooth}=shown;return{method,layer,
head:isOne?shown.head:null,fusion:fusedAs(shown),direction,skipWeight,query:cell??(typeof query=="string"?query:here.queries.prefix[query]),
colours:shown.colours,opacity,byValue,smooth,high:shown.map.high}}let answerOf=shown=>ask("saving",shown.payload.run,shown.crossed?
null:viewOf(shown));async function code(){let shown=view;if(!makes.includes("code")||!shown?.map.values)return;let key=JSON.stringify(
[shown.payload.run,viewOf(shown)]);if(key===asked)return;asked=key;let{python,command}=await answerOf(shown);if(key===asked){write(
find("code-python"),python||words.say("code_none")),write(find("code-command"),command||words.say("code_none_command"));for(let button of buttons2(
"copy"))put(button,{disabled:!{python,command}[button.dataset.copy]})}}function show(next){view=next,box2.open&&!next.hovered&&code()}
let reset=()=>say("");return{show,reset,swap:reset}}};function download(blob,name2){let link=Object.assign(document.createElement(
"a"),{href:URL.createObjectURL(blob),download:name2});link.click(),setTimeout(()=>URL.revokeObjectURL(link.href),6e4)}function change(state,shapes){state.set({shapes,past:[...state.get("past"),state.get("shapes")]})}function start(state,tool,point,radius){
let shape=tool==="box"?{box:[...point,...point]}:{[tool==="eraser"?"erase":"stroke"]:[point],radius};change(state,[...state.get("s\
hapes"),shape])}function move(state,point){let{box:box2,stroke,erase}=state.get("shapes").at(-1);box2?become(state,{box:[box2[0],box2[1],
...point]}):become(state,stroke?{stroke:[...stroke,point]}:{erase:[...erase,point]})}function become(state,changes){let shapes=state.
get("shapes");state.set({shapes:[...shapes.slice(0,-1),{...shapes.at(-1),...changes}]})}function end(state){let{box:box2}=state.get(
"shapes").at(-1);box2&&(box2[0]===box2[2]||box2[1]===box2[3])&&undo(state)}function clear(state){state.get("shapes").length&&change(
state,[])}function undo(state){let past=state.get("past").slice();state.set({shapes:past.pop()??[],past})}var panel_score={name:"score",place:"maps",order:20,shows:({depth,tool})=>depth==="score"||tool!==null,html:`
    <div class="viz-row">
      <label><span data-term="object">$truth</span></label>
      <span class="viz-group" role="group" aria-label="$truth_help">
        <button data-tool="box" aria-pressed="false" title="$box_help">$box</button><button data-tool="brush" aria-pressed="false"\
 title="$brush_help">$brush</button><button data-tool="eraser" aria-pressed="false" title="$eraser_help" disabled>$eraser</button>\
<button class="viz-undo" title="$undo_help" disabled>$undo</button><button class="viz-clear" title="$clear_help" disabled>$clear</\
button>
      </span>
      <label title="$outline_help"><input class="viz-outline" type="checkbox" checked /> $outline</label>
      <label><span data-term="score lift auc iou pointing">$metric</span> <select class="viz-metric"></select></label>
    </div>
    <p class="viz-score"></p>`,mount(root,{state,words,metrics}){let find=finder(root),tools=[...root.querySelectorAll("button[dat\
a-tool]")],offered=metrics.filter(({name:name2})=>Object.hasOwn(METRICS,name2));find("metric").append(...offered.map(({name:name2,
title})=>new Option(title,name2))),state.offer("metric",offered.map(({name:name2})=>name2));let speak=speaker(find("score"));for(let button of tools)
button.addEventListener("click",()=>{let{tool}=button.dataset;state.set({tool:state.get("tool")===tool?null:tool,hover:null})});find(
"undo").addEventListener("click",()=>undo(state)),find("clear").addEventListener("click",()=>clear(state)),find("outline").addEventListener(
"change",({target})=>state.set({outline:target.checked})),find("metric").addEventListener("change",({target})=>state.set({metric:target.
value}));function show(view){let{truth,tool}=view;for(let button of tools)put(button,{"aria-pressed":button.dataset.tool===tool});
let eraser=tools.find(one=>one.dataset.tool==="eraser");put(eraser,{disabled:!truth.isDrawn&&tool!=="eraser"}),put(find("undo"),{disabled:!view.
past.length}),put(find("clear"),{disabled:!truth.isDrawn});for(let name2 of["outline","metric"])put(find(name2),{disabled:!truth.target});
find("outline").checked=view.outline,find("metric").value!==view.metric&&(find("metric").value=view.metric);let told=tool&&!truth.
isDrawn?"":sentence(view),text3=words.told([told,tool?words.say(`draw_${tool}`):""]);write(find("score"),text3),speak(()=>find("sc\
ore").textContent)}function sentence(view){let{truth,scores}=view;if(!truth.target)return words.say("score_none");if(!scores)return words.
say("score_rests");if(!view.pointed&&!view.selected)return"";let{row:row2,column}=view.pointed??view.selected,value=scores.table[row2][column],
cell=view.cells[row2][column];if(cell===void 0||!cell&&view.isLost)return"";if(value==null)return words.say("arriving");let metric=metricOf(
offered,view),inWords=number2=>long(number2,metric,words),parts=view.metric==="energy"?shareOfParts(truth,cell):{objects:"",marks:[]},
patches=view.metric==="energy"?fewOn(view,column,cell):null,few=patches===null?"":"_few",kind=`score_${view.metric+few}`,told=words.
say(words.has(kind)?kind:"score_any",{where:mapName(words,view,{row:row2,column}),title:metric.title,value:inWords(value),parts:parts.
objects,area:percent(truth.target.area),prior:inWords(scores.priorOn(cell.layout.grid)),patches:percent(patches??1)});return words.
told([told,...parts.marks,bestHead(view,inWords)])}function fewOn(view,column,{values,layout}){let isShares=view.direction==="from"&&
(column<view.heads||column===view.heads&&view.isMean),patches=values.subarray(layout.first).reduce((a,b)=>a+b,0);return isShares&&
patches<.5?patches:null}function shareOfParts(truth,{values,layout}){let shares=truth.parts.map(({name:name2,object,on})=>{let target=on(
layout.grid),share=METRICS.energy(values.subarray(layout.first),target);return{name:name2,object,area:percent(target.area),share:percent(
share)}}),objects=shares.filter(one=>one.object).map(one=>words.say("score_part",one)),marks=shares.filter(one=>!one.object).map(one=>words.
say("score_mark",one));return{objects:objects.length>1?words.say("score_parts",{list:words.list(objects)}):"",marks}}function bestHead(view,inWords){
let{table,best,isBest,isChance,evenOn,priorOn}=view.scores;if(!best)return"";let value=inWords(table[best.row][best.column]);if(isChance){
let{grid}=view.cells[best.row][best.column].layout,chance={even:inWords(evenOn(grid)),prior:inWords(priorOn(grid))};return words.say(
"score_chance",{where:mapName(words,view,best),value,...chance})}let n=table.reduce((sum3,row2,r)=>sum3+row2.filter((_,column)=>isBest(
r,column)).length,0);return n>1?words.say("score_best_many",{n,value}):words.say("score_best",{where:mapName(words,view,best),value})}
return{show}}};function whenOf(layer,found){let{first,last}=layersOf(found);return layer+1<first?"before":layer+1>last?"after":"between"}function layersOf(found){
return{first:Math.min(...found.map(one=>one[3]))+1,last:Math.max(...found.map(one=>one[4]))+1}}var NAMED2=5,REMEMBERED=7,panel_sinks={name:"sinks",place:"maps",order:19,shows:({depth,isReading,sinks,sinksFound,sinksLeft,payload})=>depth===
"picture"&&!isReading&&(!sinks||!!sinksFound?.length||sinksLeft===payload.run),html:`
    <div class="viz-sinks-line">
      <span class="viz-sinks-said"></span>
      <button class="viz-sinks-look" hidden>$sinks_look</button><button class="viz-sinks-apart" aria-pressed="false" title="$sinks\
_apart_help" hidden>$sinks_apart</button>
      <details class="viz-more viz-sinks-more">
        <summary title="$sinks_more_help" aria-label="$sinks_more_help">?</summary>
        <div class="viz-more-panel">
          <p>$sinks_help</p>
          <p class="viz-sinks-list"></p>
          <label><input class="viz-sinks" type="checkbox" /> $sinks</label>
        </div>
      </details>
    </div>`,state:{sinksLeft:passing(json(null,run=>run===null||typeof run=="string"))},mount(root,{state,ask,words}){let find=finder(
root);closing(find("sinks-more"));let speak=speaker(find("sinks-said")),shown=null,looked=null,told="";bind(find("sinks"),"change",
state,({checked})=>({sinks:checked})),find("sinks-apart").addEventListener("click",()=>state.set({sinksApart:!state.get("sinksApar\
t")})),find("sinks-look").addEventListener("click",()=>look());function begin(payload){shown=payload,looked=null,told="",state.get(
"sinks")&&!known(payload)&&look("unasked")}let known=payload=>payload.sinks??state.get("sinksFound")[payload.run]??null;async function look(how){
let asked=looked=shown;tell(words.say("sinks_wait"));let answer=await ask("sinks",asked.run,null,...how?[how]:[]);looked===asked&&
(answer.sinks?keep(asked.run,answer.sinks):tell(answer.why??(how?"":words.say("asked_lost")),how&&!answer.why),!answer.sinks&&how&&
!answer.why&&state.set({sinksLeft:asked.run}))}function tell(text3,canLook=!1){told=text3,put(find("sinks-look"),{hidden:!canLook}),
state.get("sinks")&&write(find("sinks-said"),told)}function keep(run,found){let before=Object.entries(state.get("sinksFound")).slice(
-REMEMBERED);tell(""),state.set({sinksFound:{...Object.fromEntries(before),[run]:found}})}function listed(found){if(!found?.length)
return words.say("sinks_none");let named=found.map(([row2,col,share])=>words.say("sinks_one",{row:row2+1,col:col+1,share:percent(share)})),
more=found.length>NAMED2?[words.say("sinks_more",{n:found.length-NAMED2})]:[],list=words.list([...named.slice(0,NAMED2),...more]),
{first,last}=layersOf(found);return words.say(first===last?"sinks_found_in":"sinks_found",{first,last,list})}function sentence({sinksFound,
sinksNow,isWhole,method,map,layer}){if(!sinksFound.length)return words.say("sinks_none");if(!map.values)return"";let n=sinksNow.length;
if(!n)return elsewhere(sinksFound,layer);let share=sinksNow.reduce((sum3,cell)=>sum3+map.values[map.layout.tokenOf(cell)],0),kind=isWhole?
THROUGH_LAYERS[method]?"rolled":"share":"here";return words.say(n===1?`sinks_${kind}_1`:`sinks_${kind}_n`,{n,share:percent(share)})}
function elsewhere(found,layer){let{first,last}=layersOf(found),where=words.say(first===last?"sinks_layer":"sinks_layers",{first,last});
return words.say(`sinks_${whenOf(layer,found)}`,{n:found.length,where})}function show(view){let found=view.sinks?view.sinksFound:null;
view.sinks?!view.sinksFound&&looked!==view.payload&&view.payload===shown&&look():looked=null,find("sinks").checked=view.sinks,put(
find("sinks-apart"),{hidden:!found?.length,"aria-pressed":view.sinksApart}),write(find("sinks-said"),view.sinks?found?sentence(view):
told:words.say("sinks_off")),speak(()=>find("sinks-said").textContent),write(find("sinks-list"),found?listed(found):told)}return{reset:begin,
swap:begin,show}}};var STEPS3={ArrowLeft:[-1,0],ArrowUp:[0,-1],ArrowRight:[1,0],ArrowDown:[0,1]},KeyPen=class{constructor(state,area,radius){this.state=
state,this.area=area,this.radius=radius}press(key){let tool=this.state.get("tool");if(!tool||!(key in STEPS3||key==="Enter"))return!1;
let hand=this.state.get("hand");return hand?key==="Enter"?this.turn(tool,hand):this.go(tool,hand,STEPS3[key]):this.show(),!0}show(){
let[left,top,right,bottom]=this.area(),[wide,high]=this.radius(),middle2=(from,to,step)=>from+step*(2*Math.floor((to-from)/step/4)+
1);this.state.set({hand:{at:[middle2(left,right,wide),middle2(top,bottom,high)],from:null}})}turn(tool,{at,from}){from?end(this.state):
start(this.state,tool,at,this.radius()),this.state.set({hand:{at,from:from?null:at}}),!from&&tool==="box"&&become(this.state,{box:this.
boxOf(at,at)})}go(tool,{at,from},step){let[left,top,right,bottom]=this.area(),radius=this.radius(),[low,high]=[[left,top],[right,bottom]],
next=at.map((share,i)=>{let to=share+2*step[i]*radius[i];return to>low[i]&&to<high[i]?to:share});this.state.set({hand:{at:next,from}}),
from&&(tool==="box"?become(this.state,{box:this.boxOf(from,next)}):move(this.state,next))}boxOf([x,y],[toX,toY]){let[wide,high]=this.
radius();return[Math.min(x,toX)-wide,Math.min(y,toY)-high,Math.max(x,toX)+wide,Math.max(y,toY)+high]}escape(){let hand=this.state.
get("hand");return hand?.from?(this.state.set({hand:{at:hand.at,from:null}}),undo(this.state),!0):!1}lift(){this.state.set({hand:null})}};var Pen=class{constructor(canvas,state,pointAt,radius){this.canvas=canvas,this.state=state,this.pointAt=pointAt,this.radius=radius,
this.pointer=null,this.hasJustDrawn=!1,canvas.addEventListener("pointerdown",event=>this.down(event)),canvas.addEventListener("poi\
ntermove",event=>event.pointerId===this.pointer&&move(state,pointAt(event)));for(let type of["pointerup","pointercancel"])canvas.addEventListener(
type,event=>this.up(event))}down(event){let tool=this.state.get("tool");this.hasJustDrawn=!1,!(!tool||this.pointer!==null||event.button!==
0||!this.pointAt(event))&&(this.canvas.setPointerCapture(event.pointerId),this.pointer=event.pointerId,this.state.set({hand:null}),
start(this.state,tool,this.pointAt(event),this.radius()))}up(event){event.pointerId===this.pointer&&(this.pointer=null,this.hasJustDrawn=
!0,end(this.state))}takesClick(){let takes=!!this.state.get("tool")||this.hasJustDrawn;return this.hasJustDrawn=!1,takes}lift(){this.
pointer=null}escape(){return this.state.get("tool")?(this.pointer!==null?(this.pointer=null,undo(this.state)):this.state.set({tool:null}),
!0):!1}};var ARROWS={ArrowLeft:[0,-1],ArrowUp:[-1,0],ArrowDown:[1,0],ArrowRight:[0,1]},SETTLED=400,GUESSES=3,panel_stage={name:"stage",place:"\
stage",order:20,html:`
    <div class="viz-canvas-box">
      <canvas class="viz-picture" role="img"></canvas>
      <div class="viz-wait">$waiting</div>
    </div>`,keys:{ArrowLeft:"key_patch",ArrowUp:"key_patch",ArrowDown:"key_patch",ArrowRight:"key_patch",Enter:"",Escape:"key_back"},
mount(root,{state,words,colours}){let find=finder(root),canvas=find("picture"),stage=new Stage(canvas),payload=null,view=null,tool=null,
radius=()=>{let[left,top,right,bottom]=payload.window;return[(right-left)/payload.grid[1]/2,(bottom-top)/payload.grid[0]/2]},pen=new Pen(
canvas,state,event=>payload&&stage.pointAt(event),radius),keyPen=new KeyPen(state,()=>payload.window,radius),speak=speaker(find("c\
anvas-box"));canvas.addEventListener("pointermove",event=>{!view||view.tool||view.steps||state.set({hover:stage.placeAt(event)})}),
canvas.addEventListener("pointerleave",()=>state.set({hover:null})),canvas.addEventListener("click",event=>{if(!view||pen.takesClick())
return;if(view.teach&&!view.guess)return teach(stage.placeAt(event));let cell=view.cellAt(stage.placeAt(event));if(!cell)return;if(view.
guess)return guess(cell);if(view.steps)return state.set({number:view.placeOf(cell)});view.pinned&&!view.crossed&&view.chosen===view.
here.queries.tokenOf(cell)?state.set({place:null,token:null,pinned:!1,crossBlock:null}):state.set({place:view.placeOf(cell),token:null,
pinned:!0,crossBlock:null})});function guess(cell){let marked=view?.guess??[],others=marked.filter(place2=>String(view?.cellAt(place2))!==
String(cell));others.length<marked.length?state.set({guess:others}):marked.length<GUESSES&&state.set({guess:[...marked,view?.placeOf(
cell)]}),speak(()=>words.say("guess_at",{row:cell[0]+1,col:cell[1]+1,n:(view?.guess??[]).length}))}function teach(place2){let cell=place2&&
view?.patchAt(place2);cell&&(state.set({things:touched(view,view?.placeOfPatch(cell).map(share=>Math.round(share*1e4)/1e4))}),speak(
()=>words.say("hand_at",{row:cell[0]+1,col:cell[1]+1})))}function lookAt(){let{top,bottom}=canvas.getBoundingClientRect();top>=-1&&
bottom<=innerHeight+1||intoView(root.closest(".viz"))}function begin(begun2){if(payload)for(let pause of[0,SETTLED])later(lookAt,pause);
payload=begun2,stage.setPicture(payload),liftPens()}function liftPens(){pen.lift(),keyPen.lift()}function draw(shown){view=shown,stage.
draw(onStage(view,colours))}function show(){if(put(find("canvas-box"),{"data-drawing":view.tool??""}),view.tool!==tool&&(tool=view.
tool,liftPens(),tool&&takeUp()),tool&&view.hand){let[row2,col]=view.handCell;speak(()=>words.say(view.hand?.from?"hand_draws":"han\
d_at",{row:row2+1,col:col+1}))}view.guess?put(canvas,{"aria-label":words.say("guess_stage")}):view.teach?put(canvas,{"aria-label":words.
say("teach_stage")}):view.map.values&&put(canvas,{"aria-label":mapSentence(words,view)})}function takeUp(){lookAt();let button=document.
activeElement;!button?.matches("[data-tool]:focus-visible")||!root.closest(".viz")?.contains(button)||(root.closest("[tabindex]").
focus({preventScroll:!0}),keyPen.show())}function press2(key){if(keyPen.press(key))return;if((view.guess||view.teach)&&(key==="Ent\
er"||key in ARROWS))return guessBy(key);if(key==="Enter")return!1;if(key==="Escape"){if(keyPen.escape()||pen.escape())return;if(![
"pinned","place","token"].some(key2=>state.get(key2))&&!state.get("shapes").length)return!1;view.pinned||clear(state),state.set({hover:null,
place:null,token:null,pinned:!1});return}let[rows,cols]=view.here.queries.grid,cell=view.here.queries.cellOf(view.chosen),[down,right]=ARROWS[key],
inside=(at,count)=>Math.min(count-1,Math.max(0,at)),next=cell?[inside(cell[0]+down,rows),inside(cell[1]+right,cols)]:[rows>>1,cols>>
1];state.set({hover:null,place:view.placeOf(next),token:null,pinned:!0,crossBlock:null})}function guessBy(key){let[rows,cols]=view.
here.queries.grid,cell=view.hovered??[rows>>1,cols>>1];if(key==="Enter")return view.guess?guess(cell):teach(view.placeOf(cell));let[
down,right]=ARROWS[key],next=[Math.min(rows-1,Math.max(0,cell[0]+down)),Math.min(cols-1,Math.max(0,cell[1]+right))];state.set({hover:view.
placeOf(next)}),speak(()=>words.say("hand_at",{row:next[0]+1,col:next[1]+1}))}return{reset:begin,swap:begin,draw,show,press:press2,
stage}}};var panel_status={name:"status",place:"told",order:40,html:'<div class="viz-room"><p class="viz-status"></p></div>',shows:({depth,
isReading})=>depth!=="number"&&depth!=="teach"&&!isReading,mount(root,{words}){let find=finder(root),status=find("status"),speak=speaker(
status);function show(view){let said=view.map.values?words.told(sentences(words,view)):whyNothing(words,view);write(status,said),view.
isPointing||put(find("room"),{"data-pointed":words.told(longest2(words,view)),...view.hovered?{}:{"data-rest":said}}),speak(()=>view.
map.values?words.told([mapSentence(words,view),spreadSentence(words,view)]):status.textContent)}function fail(said){root.hidden=!1,
write(status,said),speak(()=>said)}return{show,fail}}};function sentences(words,view){let{values}=view.map,last=view.pinned&&!view.
crossed?words.say("is_pinned"):notShown(words,view),later2=view.rollsLater?words.say("rolls_later"):"";return[mapSentence(words,view),
ofWindow(words,view),ofSigns(words,values),last,later2]}function longest2(words,view){let{values}=view.map,last=view.pinned&&!view.
crossed?words.say("is_pinned"):words.told(onPrefix(words,view,LONGEST,LONGEST)),signs=values?ofSigns(words,values):"";return[longestSentence(
words,view),ofWindow(words,view),signs,last,view.rollsLater?words.say("rolls_later"):""]}function whyNothing(words,view){let{payload,
layer,method,here,query}=view;return view.crossed?words.say(here.kind==="asked"?"cross_large":"arriving"):view.knows?here.kind==="\
mean"&&payload.complete&&(method==="attention"||isOfHeads(view))?words.say("only_mean"):method==="rollout"&&payload.complete?words.
say("rolling",{share:percent(view.progress)}):here.kind==="asked"?words.say(view.isLost?"asked_lost":"asked"):words.say("arriving"):
words.say("no_such_token",{layer:layer+1,name:tokenName(words,view,query)})}function ofWindow(words,{reach,kind,here}){let[from,to]=here.
windowed?["window_from","window_to"]:["mask_from","mask_to"];return reach?words.say(kind==="to"?to:from):""}function ofSigns(words,values){
let low=values.reduce((a,b)=>Math.min(a,b),0);return low<0?words.say("negative",{share:percent(low)}):""}function notShown(words,view){
if(!view.isWhole)return"";let{values,layout}=view.map,share=values.subarray(0,layout.first).reduce((a,b)=>a+b,0),rest=1-values.reduce(
(a,b)=>a+b,0);return words.told(onPrefix(words,view,share,rest>.005?rest:0))}function onPrefix(words,{method,map,here},share,rest){
let{first,prefix:prefix2}=map.layout,said=[];return first&&said.push(words.say(prefix2.join()==="cls"?"on_cls":"on_prefix",{share:percent(
share)})),here.windowed&&!THROUGH_LAYERS[method]&&rest&&said.push(words.say("on_padding",{share:percent(rest)})),said}var MOST3=40,ALL=200,KEPT=12,Steps=class{constructor(answer){this.keys=answer.keys,this.at=answer.at,this.hidden=answer.hidden??[],
this.turned=answer.turned,this.leftOut=answer.left_out,this.lens=answer.lens??null,this.label=answer.label??"",this.vectors=new Map(
Object.entries(answer.vectors).map(([name2,[shape,packed]])=>[name2,{shape,values:floats(packed)}])),this.heads=this.vectors.get("\
attention")?.shape[0]??0}has(name2){return this.vectors.has(name2)}vector(name2,head){let{shape,values}=this.vectors.get(name2);if(head===
void 0||shape.length===1)return values;let width=shape[1];return values.subarray(head*width,(head+1)*width)}hides(head,column=this.
at){return this.hidden[head]?.includes(column)??!1}shares(){return Array.from({length:this.heads},(_,head)=>this.vector("attention",
head)[this.at])}strongest(){let shares=this.shares();return shares.indexOf(Math.max(...shares))}products(head){let k=this.vector("\
key.used",head);return this.vector("query.used",head).map((value,i)=>value*k[i])}score(head){let dot=sum2(this.products(head)),scale=this.
vector("scale")[head],bias=this.has("bias")?this.vector("bias",head)[this.at]:null;return{dot,scale,bias,score:this.vector("scores",
head)[this.at]}}softmax(head){let scores=this.vector("scores",head),top=Math.max(...scores),whole2=sum2(scores.map(one=>Math.exp(one-
top))),own=Math.exp(scores[this.at]-top);return top===-1/0?{top,own:0,whole:0,share:0}:{top,own,whole:whole2,share:own/whole2}}brought(head){
let share=this.vector("attention",head)[this.at];return this.vector("values",head).map(value=>value*share)}lengths(){return Array.
from({length:this.heads},(_,head)=>length(this.vector("written",head)))}writtenLength(){let total=Float32Array.from(this.vector("c\
onstant"));for(let head=0;head<this.heads;head++)this.vector("written",head).forEach((value,i)=>total[i]+=value);return length(total)}};
function fold(values,{always=-1,most=MOST3}={}){let bars=Array.from(values,(value,index2)=>({value,index:index2}));if(bars.length<=
most)return bars;let kept=[...bars].sort((a,b)=>Math.abs(b.value)-Math.abs(a.value)).slice(0,KEPT);always>=0&&!kept.some(({index:index2})=>index2===
always)&&(kept[KEPT-1]=bars[always]);let shown=new Set(kept.map(({index:index2})=>index2)),rest=sum2(bars.filter(({index:index2})=>!shown.
has(index2)).map(({value})=>value));return[...kept.sort((a,b)=>a.index-b.index),{value:rest,index:-1}]}var length=values=>Math.sqrt(
sum2(Array.from(values,value=>value*value)));function sum2(values){let total=0;for(let i=0;i<values.length;i++)total+=values[i];return total}
function floats(packed){return floatsOf(packed)}var HEIGHT=46,GAP4=.22;function barsOf(bars,{kind,label,say,lit=-2,top}){let high=top??Math.max(...bars.map(({value})=>Math.abs(value)),
1e-30),zero=bars.some(({value})=>value<0)?HEIGHT/2:HEIGHT-1,room=zero-1,drawing=svg("svg",{class:`viz-bars viz-of-${kind}`,viewBox:`\
0 0 ${bars.length} ${HEIGHT}`,preserveAspectRatio:"none",role:"img","aria-label":label});drawing.style.maxWidth=`${Math.max(140,bars.
length*15)}px`,drawing.append(svg("line",{x1:0,x2:bars.length,y1:zero,y2:zero}));for(let[x,bar]of bars.entries()){let size=Math.max(
.75,Math.abs(bar.value)/high*room),one=svg("rect",{x:x+GAP4/2,width:1-GAP4,y:bar.value<0?zero:zero-size,height:size,"data-index":bar.
index,class:[bar.index===lit?"viz-lit":"",bar.index<0?"viz-rest":""].join(" ").trim()}),place2=svg("rect",{x,width:1,y:0,height:HEIGHT,
"data-index":bar.index,class:"viz-place-of-bar"});place2.append(svg("title",{},say(bar))),drawing.append(one,place2)}return drawing}var NAMES=["pixels","filter","adds"];function squaresOf(found,dimension,words){let{pixels,height,width,channels}=found,[filter,products]=[
found.filter(dimension),found.products(dimension)],added=new Float32Array(height*width);for(let i=0;i<products.length;i++)added[i%
added.length]+=products[i];let box2=document.createElement("div");box2.className="viz-patch";let squares=[pixels,filter,added].map(
(values,i)=>{let figure=document.createElement("figure"),place2=document.createElement("div"),canvas=paint(values,{width,height,channels:values===
added?1:channels}),caption=Object.assign(document.createElement("figcaption"),{textContent:words.say(`patch_${NAMES[i]}`,{i:dimension+
1})});canvas.setAttribute("role","img"),canvas.setAttribute("aria-label",caption.textContent??"");let lit=document.createElement("\
i");return lit.hidden=!0,place2.append(canvas,lit),figure.append(place2,caption),figure}),sign=text3=>Object.assign(document.createElement(
"span"),{textContent:text3,ariaHidden:"true"});box2.append(squares[0],sign("×"),squares[1],sign("="),squares[2]);let point=({target,
clientX,clientY})=>{if(!(target instanceof HTMLCanvasElement))return;let area=target.getBoundingClientRect(),at=(share,count)=>Math.
max(0,Math.min(count-1,Math.floor(share*count))),[x,y]=[at((clientX-area.left)/area.width,width),at((clientY-area.top)/area.height,
height)];for(let lit of box2.querySelectorAll("i"))lit.hidden=!1,Object.assign(lit.style,{left:`${100*x/width}%`,top:`${100*y/height}\
%`,width:`${100/width}%`,height:`${100/height}%`});let said=box2.closest(".viz-step-body")?.querySelector(".viz-step-pointed"),place2=y*
width+x,sums=Array.from({length:channels},(_,c)=>c*height*width+place2).map(i=>`${digits(pixels[i])} × ${digits(filter[i])}`).join(
" + ");said&&(said.textContent=words.say("patch_pixel",{row:y+1,col:x+1,sums,sum:digits(added[place2])}))};return box2.addEventListener(
"pointermove",point),box2.addEventListener("pointerdown",point),box2.addEventListener("pointerleave",()=>{for(let lit of box2.querySelectorAll(
"i"))lit.hidden=!0}),box2}function paint(values,{width,height,channels}){let canvas=document.createElement("canvas");Object.assign(
canvas,{width,height});let image2=new ImageData(width,height),top=values.reduce((most,value)=>Math.max(most,Math.abs(value)),1e-30),
area=width*height;for(let i=0;i<area;i++){for(let c=0;c<3;c++){let value=values[(channels===3?c:0)*area+i];image2.data[4*i+c]=127.5*
(1+value/top)}image2.data[4*i+3]=255}return canvas.getContext("2d")?.putImageData(image2,0,0),canvas}var MOST_STEPS=12,tagged2=(tag,text3)=>Object.assign(document.createElement(tag),{textContent:text3});function stepBodies(words){function formulaOf(name2,{
patch}){let key=name2==="pixels"&&patch?.found&&!patch.found.hasPlace?"pixels_bare":name2,box2=document.createElement("span");box2.
className="viz-formula";for(let part2 of words.say(`formula_${key}`).split(/(\b[qkvp]\b(?:[\u1d62\u2c7c])?)/)){let symbol=/^[qkvp]/.
exec(part2)&&part2.length<=2,one=tagged2("span",part2);symbol&&(one.className=`viz-of-${part2[0]}`),box2.append(one)}return box2}function resultOf(name2,{
found,head,patch,dimension}){if(name2==="pixels"&&patch?.found)return digits(patch.found.explained[patch.found.chosen(dimension)]);
let known=found.has("scores");return["factors","product","scale","softmax"].includes(name2)&&!known?"":name2==="product"?digits(found.
score(head).dot):name2==="scale"?digits(found.score(head).score):name2==="softmax"?percent(found.softmax(head).share):name2==="cla\
ss"&&found.lens?percent(found.lens.at(-1)[1]):""}let row2=(label,values,kind,of,more={})=>{let line=document.createElement("div");
line.className="viz-bar-row",line.dataset.of=of;let bars=more.whole?values:fold(values,{always:more.lit,most:more.most}),say=more.
say??(({index:i,value})=>i<0?words.say("bar_rest",{value:digits(value)}):words.say("bar_one",{i:i+1,value:digits(value)}));return line.
append(tagged2("span",label),barsOf(bars,{kind,label:`${label}: ${said(bars)}`,say,...more})),line},said=bars=>bars.slice(0,6).map(
({value})=>digits(value)).join(", "),text3=(key,given={})=>tagged2("p",words.say(key,given)),leftOut=(found,name2)=>tagged2("p",words.
say("steps_left_out",{why:found.leftOut[name2]??""}));function rowOfToken(side2,letter,{names,found,pixels}){let line=row2(names[side2],
found.vector(`${side2}.stream`),letter,"stream",{most:ALL});return line.firstElementChild?.prepend(pixels[side2]),line}function rowOfPatch(label,embedding,values,dimension){
let bars=embedding.bars(values),line=row2(label,bars,"plain","patch",{whole:!0,lit:dimension});return bars.length<values.length&&line.
firstElementChild?.append(", ",words.say("row_largest",{n:bars.length,all:values.length})),line}function walkOf(embedding,dimension){
let walk=document.createElement("span");walk.className="viz-steps-walk";let dimensions=embedding.bars(embedding.token).map(({index:index2})=>index2),
at=dimensions.indexOf(dimension),button=(sign,name2,to)=>{let one=Object.assign(tagged2("button",sign),{disabled:to===void 0,className:`\
viz-patch-${name2}`});return one.setAttribute("aria-label",words.say(`patch_${name2}`)),to!==void 0&&(one.dataset.dimension=String(
to)),one};return walk.append(button("‹","back",dimensions[at-1]),tagged2("span",words.say("patch_number",{i:dimension+1})),button(
"›","on",dimensions[at+1])),walk}let BODIES={pixels({patch,patchName,dimension:wanted}){if(!patch)return Object.assign(text3("st\
eps_wait"),{className:"viz-patch-wait"});if(!patch.found)return tagged2("p",patch.why??"");let one=patch.found,dimension=one.chosen(
wanted),{dot,bias,position,made:made2,token}=one.sumOf(dimension),size={height:one.height,width:one.width,n:one.pixels.length,all:one.
token.length},given={dot:digits(dot),bias:digits(bias),made:digits(made2),token:digits(token)},summed=one.hasPlace?"sum_pixels_pla\
ce":"sum_pixels",name2=words.say("row_patch",{name:patchName});return[text3("step_pixels_help",{...size,name:patchName}),walkOf(one,
dimension),squaresOf(one,dimension,words),sumOf2(words.say(summed,{...given,position:digits(position??0)})),...position!==null&&!one.
hasPlace?[text3("step_pixels_nowhere")]:[],...position===null?[text3("step_pixels_turned",given),rowOfPatch(words.say("row_before",
{name:name2}),one,one.made,dimension),rowOfPatch(words.say("row_after",{name:name2}),one,one.token,dimension)]:[rowOfPatch(name2,one,
one.token,dimension)]]},tokens(about){let{found,layer}=about;if(!found.has("query.stream"))return leftOut(found,"written");let n=found.
vector("query.stream").length;return[text3("step_tokens_help",{n,layer:layer+1}),rowOfToken("query","q",about),rowOfToken("key","k",
about)]},window({found,keys,names}){let seen=found.keys.filter(token=>token>=0).length;return[text3("step_window_help",{...names,n:seen,
all:keys.tokens})]},factors({found,head,names}){if(!found.has("query.used"))return leftOut(found,"q");let rows=[text3("step_factor\
s_help",{...names,n:found.vector("query.used",head).length})];for(let[side2,letter]of[["query","q"],["key","k"]]){let name2=words.
say(`row_${letter}`,{name:names[side2]});found.turned[side2]&&rows.push(row2(words.say("row_before",{name:name2}),found.vector(`${side2}\
.made`,head),letter,"dimension")),rows.push(row2(found.turned[side2]?words.say("row_after",{name:name2}):name2,found.vector(`${side2}\
.used`,head),letter,"dimension"))}return(found.turned.query||found.turned.key)&&rows.push(text3("step_turned_help")),rows},product({
found,head}){if(!found.has("query.used"))return leftOut(found,"q");let q=found.vector("query.used",head),k=found.vector("key.used",
head),say=({index:i,value})=>i<0?words.say("bar_rest",{value:digits(value)}):words.say("bar_product",{i:i+1,q:digits(q[i]),k:digits(
k[i]),value:digits(value)});return[text3("step_product_help",{dot:digits(found.score(head).dot)}),row2("q",q,"q","dimension"),row2(
"k",k,"k","dimension"),row2("q × k",found.products(head),"plain","dimension",{say})]},scale({found,head,names}){if(!found.has("sc\
ores"))return leftOut(found,"q");let{dot,scale,bias,score}=found.score(head),given={dot:digits(dot),scale:digits(scale),score:digits(
score),bias:bias===null?"":digits(bias)};return[text3("step_scale_help"),sumOf2(words.say(bias===null?"sum_scale":"sum_scale_bias",
given)),...bias===null?[]:[found.hides(head)?text3("step_hidden_help",names):text3("step_bias_help")]]},softmax({found,head,names,
nameOf:nameOf4}){let shares=found.vector("attention",head);if(!found.has("scores"))return leftOut(found,"q");let{own,whole:whole2,
share,top}=found.softmax(head),say=({index:i,value})=>{if(i<0)return words.say("bar_others",{share:percent(value)});let name2=nameOf4(
found.keys[i],"keys");return found.hides(head,i)?words.say("bar_hidden",{name:name2}):`${name2}: ${percent(value)}`},sum3={own:digits(
own),whole:digits(whole2),share:percent(share),score:digits(found.score(head).score),top:digits(top)};return[text3("step_softmax_h\
elp",{n:shares.length}),found.hides(head)?text3("step_hidden_share",names):sumOf2(words.say("sum_softmax",sum3)),row2(words.say("r\
ow_shares",names),shares,"p","tokens",{lit:found.at,say})]},registers({found,head,keys,nameOf:nameOf4}){let parts=placeless(found,
head,keys).map(({token,share:share2})=>[nameOf4(token,"keys"),share2]),registers=placeless(found,head,keys).filter(({name:name2})=>name2.
startsWith("reg")),rest=1-parts.reduce((sum3,[,share2])=>sum3+Number(share2),0),share=percent(registers.reduce((sum3,one)=>sum3+one.
share,0));return[text3("step_registers_help",{share}),lengths([...parts,[words.say("chip_mean"),rest]],percent)]},value({found,head,
names}){let share=percent(found.vector("attention",head)[found.at]),v=found.vector("values",head),top=Math.max(...v.map(Math.abs));
return[text3("step_value_help",{...names,share}),row2(words.say("row_v",{name:names.key}),v,"v","value",{top}),row2(words.say("row\
_brought",{share}),found.brought(head),"p","value",{top})]},head({found,head}){let rows=[text3("step_head_help",{head:head+1}),row2(
words.say("row_mixed",{head:head+1}),found.vector("mixed",head),"v","value")];if(!found.has("written"))return[...rows,leftOut(found,
"written")];let bars=found.lengths().map((value,i)=>({value,index:i})),say=({index:i,value})=>words.say("bar_head",{head:i+1,value:digits(
value)});return[...rows,text3("step_written_help"),row2(words.say("row_written"),bars,"plain","heads",{whole:!0,lit:head,say})]},stream({
found}){if(!found.has("written"))return leftOut(found,"written");let parts=[["before",length(found.vector("query.stream"))],["atte\
ntion",found.writtenLength()],["between",length(found.vector("between"))],...found.has("rest")?[["rest",length(found.vector("rest"))],
["after",length(found.vector("after"))]]:[]],list=lengths(parts.map(([name2,value])=>[words.say(`length_${name2}`),value]),digits);
return[text3("step_stream_help"),list,...found.has("rest")?[]:[leftOut(found,"rest")]]},class({found,layer}){if(!found.lens)return text3(
"step_class_none");let bars=found.lens.map(([n,value])=>({value,index:n})),say=({index:n,value})=>words.say(n?"bar_lens":"bar_lens\
_none",{n,share:percent(value)});return[text3("step_class_help",{label:found.label}),row2(words.say("row_lens",{label:found.label}),
bars,"plain","layers",{whole:!0,lit:layer+1,top:1,say})]}};function lengths(parts,said2){let top=Math.max(...parts.map(([,value])=>Number(
value))),list=document.createElement("dl");list.className="viz-lengths";for(let[name2,value]of parts){let bar=document.createElement(
"i");bar.style.width=`${100*Number(value)/top}%`;let cell=tagged2("dd","");cell.append(bar,tagged2("span",said2(Number(value)))),list.
append(tagged2("dt",name2),cell)}return list}function placeless(found,head,keys){let shares=found.vector("attention",head);return found.
keys.map((token,column)=>({token,name:keys.prefix[token]??"",share:shares[column]})).filter(({token})=>token>=0&&token<keys.prefix.
length)}let ONLY={window:({found,keys})=>found.keys.filter(token=>token>=0).length<keys.tokens,registers:({keys})=>keys.prefix.some(
name2=>name2.startsWith("reg"))},namesOf=about=>Object.keys(BODIES).filter(name2=>!ONLY[name2]||ONLY[name2](about));function sumOf2(said2){
let line=tagged2("p",said2);return line.className="viz-sum",line}function bodyOf(name2,about){let parts=BODIES[name2](about);return Array.
isArray(parts)?parts:[parts]}return{namesOf,bodyOf,formulaOf,resultOf}}var Embedding=class{constructor({vectors,dimensions}){let of=name2=>vectors[name2]?floatsOf(vectors[name2][1]):null,[channels,height,
width]=vectors.pixels[0];this.channels=channels,this.height=height,this.width=width,this.dimensions=dimensions,this.pixels=of("pix\
els"),this.weights=of("weights"),this.bias=of("bias"),this.made=of("made"),this.token=of("token"),this.position=of("position")}get explained(){
return this.position?this.token:this.made}get hasPlace(){return this.position?.some(value=>value!==0)??!1}chosen(wanted){if(wanted!==
null&&this.dimensions.includes(wanted))return wanted;let size=i=>Math.abs(this.explained[i]);return this.dimensions.reduce((best,i)=>size(
i)>size(best)?i:best)}filter(dimension){let at=this.dimensions.indexOf(dimension)*this.pixels.length;return this.weights.subarray(
at,at+this.pixels.length)}products(dimension){return this.filter(dimension).map((weight,i)=>weight*this.pixels[i])}sumOf(dimension){
let bias=this.bias[this.dimensions.indexOf(dimension)],position=this.position?this.position[dimension]:null;return{dot:sum2(this.products(
dimension)),bias,position,made:this.made[dimension],token:this.token[dimension]}}bars(values){return(values.length<=ALL?Array.from(
values,(_,i)=>i):this.dimensions).map(index2=>({value:values[index2],index:index2}))}};var CROP=44,panel_steps={name:"steps",place:"maps",order:5,shows:({depth})=>depth==="number",html:`
    <section class="viz-steps" aria-label="$number" hidden>
      <div class="viz-steps-head">
        <h2 class="viz-steps-said"></h2>
        <span class="viz-steps-walk"><button class="viz-steps-back" aria-label="$steps_back">‹</button><output class="viz-steps-at\
"></output><button class="viz-steps-on" aria-label="$steps_on">›</button></span>
      </div>
      <p class="viz-steps-hint">$steps_hint</p>
      <p class="viz-steps-heads"></p>
      <ol class="viz-steps-list"></ol>
    </section>`,state:{step:index(0,MOST_STEPS-1),dimension:index(null)},mount(root,{state,ask,words}){let find=finder(root),bodies=stepBodies(
words),box2=find("steps"),view=null,asked="",steps=null,why="",patchAsked={key:"",number:null},patch=null,patchLate=!1,drawn="",reached=-1,
names=[],go=step=>state.set({step:Math.max(0,Math.min(names.length-1,step))});find("steps-back").addEventListener("click",()=>go(state.
get("step")-1)),find("steps-on").addEventListener("click",()=>go(state.get("step")+1)),box2.addEventListener("keydown",event=>{let by={
ArrowRight:1,PageDown:1,ArrowLeft:-1,PageUp:-1}[event.key];if(event.key==="Escape")state.set({steps:!1});else if(by)go(state.get("\
step")+by);else return;event.preventDefault(),event.stopPropagation()}),find("steps-list").addEventListener("pointerover",({target})=>light(
target)),find("steps-list").addEventListener("click",({target})=>{let key=target.closest("[data-of=tokens] [data-index]")?.dataset.
index;key!==void 0&&Number(key)>=0&&steps&&choose(steps.keys[Number(key)]);let number2=target.closest("[data-of=patch] [data-index\
]")?.dataset.index??target.closest("[data-dimension]")?.dataset.dimension;number2!==void 0&&Number(number2)>=0&&state.set({dimension:Number(
number2)})});function light(target){let bar=target.closest?.(".viz-bars [data-index]"),symbol=target.closest?.(".viz-formula [clas\
s^=viz-of-]"),of=bar?.closest("[data-of]")?.dataset.of,step=target.closest?.("details"),lit=[];of&&lit.push(...root.querySelectorAll(
`[data-of="${of}"] rect[data-index="${bar.dataset.index}"]`));let kind=/viz-of-[qkvp]/.exec((symbol??bar?.closest(".viz-bars"))?.getAttribute(
"class")??"")?.[0];kind&&lit.push(...step.querySelectorAll(`.viz-formula .${kind}`)),symbol&&lit.push(...step.querySelectorAll(`.v\
iz-bars.${kind}`));for(let one of root.querySelectorAll(".viz-pointed"))one.classList.remove("viz-pointed");for(let one of lit)one.
classList.add("viz-pointed");let said=bar?.closest(".viz-step-body")?.querySelector(".viz-step-pointed");said&&write(said,bar.querySelector(
"title")?.textContent??"")}function choose(token){let cell=view?.map.layout.cellOf(token);cell&&state.set({number:view?.placeOf(cell)})}
function show(next){if(view=next,put(box2,{hidden:!view.steps}),!view.steps){reached=-1;return}let reason=whyNot(view);if(reason)return tell(
reason);let[query,key]=pairOf(view),wanted=JSON.stringify([view.payload.run,view.layer,query,key]);if(wanted!==asked&&bring(wanted,
view.payload.run,[view.layer,query,key]),!steps)return tell(why||words.say("steps_wait"));drawSteps(steps,query,key)}async function bring(wanted,run,what){
asked=wanted,why="";let answer=await ask("steps",run,what);asked===wanted&&(steps=answer.vectors?new Steps(answer):null,why=answer.
why??(steps?"":words.say("asked_lost")),drawn="",view?.steps&&show(view))}function bringPatch({payload,here,direction},token){let layout=direction===
"to"?here.queries:here.keys,cell=layout.cellOf(token),number2=state.get("dimension"),known=patch?.found?.dimensions.includes(number2??
-1)??!1,key=JSON.stringify([payload.run,layout.grid,cell]);key===patchAsked.key&&(number2===null||known||number2===patchAsked.number)||
(patchLate=key===patchAsked.key&&!!patch?.found,patchLate||(patch=null),patchAsked={key,number:number2},!cell||String(layout.grid)!==
String(payload.layers[0].queries.grid)?patch={why:words.say("steps_merged")}:askPatch(payload.run,[cell[0],cell[1],number2],patchAsked))}
async function askPatch(run,[row2,col,number2],about){let answer=await ask("embedding",run,[row2,col,number2]);!answer.vectors&&number2!==
null&&(answer=await ask("embedding",run,[row2,col,null])),patchAsked===about&&(patchLate=!1,patch=answer.vectors?{found:new Embedding(
answer)}:{why:answer.why??words.say("asked_lost")},drawn="",view?.steps&&show(view))}function tell(text3){drawn="",write(find("ste\
ps-said"),text3),find("steps-heads").replaceChildren(),find("steps-list").replaceChildren()}function whyNot({method,crossed,query,
map}){return crossed?words.say("steps_no_cross"):method==="rollout"?words.say("steps_no_rollout"):typeof query!="number"?words.say(
"steps_no_mean"):map.values?"":words.say("arriving")}function drawSteps(found,query,key){let head=view?.fusion==="one"?view.head:found.
strongest(),keys=view?.here.keys;names=bodies.namesOf({found,keys});let at=Math.min(state.get("step"),names.length-1),ofPatch=view?.
direction==="to"?query:key;if(view&&names[at]==="pixels"&&(bringPatch(view,ofPatch),patchLate))return;let shown=JSON.stringify([asked,
head,view?.fusion,at,names[at]==="pixels"&&[patchAsked.key,state.get("dimension"),patch===null]]);if(shown===drawn)return;drawn=shown;
let share=found.vector("attention",head)[found.at],tokens={query:nameOf4(query,"queries"),key:nameOf4(key,"keys")};write(find("ste\
ps-said"),words.say("steps_said",{layer:(view?.layer??0)+1,head:head+1,...tokens,share:percent(share)})),find("steps-heads").replaceChildren(
...headsOf(found,head)),write(find("steps-at"),words.say("steps_at",{n:at+1,all:names.length})),put(find("steps-back"),{disabled:at===
0}),put(find("steps-on"),{disabled:at===names.length-1});let pixels={query:pixelsOf(query,"queries"),key:pixelsOf(key,"keys")},patchName=view?.
direction==="to"?tokens.query:tokens.key,dimension=state.get("dimension"),about={found,head,layer:view?.layer??0,names:tokens,pixels,
nameOf:nameOf4,keys,patch,patchName,dimension},every=names.map((name2,i)=>stepOf2(name2,i,i===at,about)),held=/viz-patch-(back|on)/.
exec(box2.contains(document.activeElement)?document.activeElement?.className??"":"");find("steps-list").replaceChildren(...every),
held&&box2.querySelector(`.${held[0]}`)?.focus(),at!==reached&&!view?.isReading&&bringIntoView(at?every[at]:box2),reached=at}function bringIntoView(part2){
box2.style.setProperty("--steps-head",`${find("steps-head").offsetHeight}px`),intoView(part2)}function nameOf4(token,side2){let layout=view?.
here[side2];return layout?.cellOf(token)?tokenName(words,view,token,layout):words.say(...nameKey("name",layout?.prefix[token]??""))}
function pixelsOf(token,side2){let canvas=document.createElement("canvas"),layout=view?.here[side2],cell=layout?.cellOf(token);if(!view||
!cell)return document.createTextNode("");let{bitmap,window:seen}=view.payload,[left,top,right,bottom]=seen,[rows,cols]=layout.grid,
[width,height]=[(right-left)/cols*bitmap.width,(bottom-top)/rows*bitmap.height],[x,y]=[left*bitmap.width+cell[1]*width,top*bitmap.
height+cell[0]*height];return canvas.className="viz-crop",canvas.width=canvas.height=CROP,canvas.getContext("2d")?.drawImage(bitmap,
x,y,width,height,0,0,CROP,CROP),canvas}function headsOf(found,head){let shares=found.shares(),buttons2=shares.map((share,i)=>{let button=tagged(
"button",words.say("steps_head",{head:i+1,share:percent(share)}));return button.addEventListener("click",()=>state.set({head:i,fusion:"\
one"})),put(button,{"aria-pressed":i===head}),button}),mean=percent(shares.reduce((a,b)=>a+b,0)/shares.length),said=view?.fusion===
"one"?words.say("steps_of_heads"):words.say("steps_of_mean",{n:shares.length,mean});return[tagged("span",said),...buttons2]}function stepOf2(name2,at,isOpen,about){
let item=document.createElement("li"),details=document.createElement("details"),summary=document.createElement("summary");if(details.
open=isOpen,details.dataset.step=name2,summary.append(tagged("b",words.say(`step_${name2}`))," ",bodies.formulaOf(name2,about),tagged(
"span","")),summary.lastElementChild.className="viz-step-result",details.append(summary),summary.addEventListener("click",event=>{
event.preventDefault(),isOpen?details.open=!details.open:go(at)}),item.append(details),isOpen){let body=document.createElement("di\
v");body.className="viz-step-body",body.append(...bodies.bodyOf(name2,about));let pointed=tagged("output","");pointed.className="v\
iz-step-pointed",body.append(pointed),details.append(body)}return write(summary.lastElementChild,bodies.resultOf(name2,about)),item}
let forget=()=>{asked="",steps=null,patchAsked={key:"",number:null},patchLate=!1,patch=null};return{reset:forget,swap:forget,show}}};
function pairOf({map,query,asksNumber,direction}){let token=asksNumber?map.layout.tokenOf(asksNumber):strongest2(map);return direction===
"to"?[token,query]:[query,token]}function strongest2({values,layout}){let best=layout.first;for(let token=layout.first;token<layout.
tokens;token++)values[token]>values[best]&&(best=token);return best}var halves=null;function halfToFloat(bits2,floats2=null){if(!halves){halves=new Float32Array(65536);for(let i=0;i<65536;i++){let exponent=i>>
10&31,fraction=i&1023,value;exponent===0?value=fraction*2**-24:exponent===31?value=fraction?NaN:1/0:value=(1+fraction/1024)*2**(exponent-
15),halves[i]=i&32768?-value:value}}floats2??=new Float32Array(bits2.length);for(let i=0;i<bits2.length;i++)floats2[i]=halves[bits2[i]];
return floats2}function meanOf(rows){let mean=new Float32Array(rows[0].length);for(let row2 of rows)for(let i=0;i<mean.length;i++)mean[i]+=row2[i]/
rows.length;return mean}function sharesOf(features,prototypes,temperature=TEMPERATURE){let[things,width]=[prototypes.length,prototypes[0].
length],lengths=prototypes.map(one=>Math.max(Math.hypot(...one),1e-12)),shares=new Float32Array(features.length/width*things);for(let at=0;at<
shares.length;at+=things){let from=at/things*width,highest=-1/0;for(let k=0;k<things;k++){let dot=0;for(let i=0;i<width;i++)dot+=features[from+
i]*prototypes[k][i];shares[at+k]=dot/lengths[k]/temperature,highest=Math.max(highest,shares[at+k])}let sum3=0;for(let k=0;k<things;k++)
sum3+=shares[at+k]=Math.exp(shares[at+k]-highest);for(let k=0;k<things;k++)shares[at+k]/=sum3}return shares}function nearest(shares,things){
return Array.from({length:shares.length/things},(_,patch)=>{let own=shares.subarray(patch*things,(patch+1)*things),thing=own.indexOf(
Math.max(...own));return{thing,share:own[thing]}})}var KEPT2=4,panel_teach={name:"teach",place:"maps",order:6,shows:({depth})=>depth==="teach",html:`
    <section class="viz-teach" aria-label="$teach" hidden>
      <div class="viz-teach-head">
        <p class="viz-teach-said"></p>
      </div>
      <ul class="viz-teach-things"></ul>
      <p class="viz-teach-row">
        <button class="viz-teach-add">$teach_add</button><button class="viz-teach-forget">$teach_forget</button><button class="viz\
-teach-colours" aria-pressed="true" title="$teach_colours_help">$teach_colours</button>
      </p>
      <p class="viz-teach-explained"><span data-term="norm cosine softmax">$teach_how_label</span>: <span class="viz-teach-how"></\
span></p>
    </section>`,keys:{1:"",2:"",3:"",4:"",5:""},mount(root,{state,ask,words}){let find=finder(root),box2=find("teach"),speak=speaker(
find("teach-things")),view=null,known=new Map,kept=[],last={run:"",model:"",picture:"",things:""},wasOpen=!1,labelled="",things=()=>state.
get("things").length?state.get("things"):begun(),nameOf4=i=>nameIn(things(),i,words),rows=Array.from({length:MOST_THINGS},(_,i)=>rowOf3(
i));find("teach-things").append(...rows.map(({item})=>item)),find("teach-colours").addEventListener("click",()=>state.set({labelled:!state.
get("labelled")})),find("teach-add").addEventListener("click",()=>{state.set({things:[...things(),{name:"",at:[]}],thing:things().
length}),rows[state.get("thing")].name.focus()}),find("teach-forget").addEventListener("click",()=>{kept=[],state.set({things:[],thing:0,
taught:null})}),box2.addEventListener("keydown",event=>{event.key==="Escape"&&(state.set({teach:!1}),event.stopPropagation())});function rowOf3(i){
let item=document.createElement("li"),choose=document.createElement("button"),name2=document.createElement("input"),remove=tagged(
"button","×"),[count,share]=[tagged("span",""),tagged("output","")];return choose.className="viz-teach-choose",choose.style.setProperty(
"--thing",COLOURS[i]),name2.maxLength=THING_LETTERS,count.className="viz-teach-count",share.className="viz-teach-share",choose.addEventListener(
"click",()=>state.set({thing:i})),name2.addEventListener("focus",()=>state.set({thing:i})),name2.addEventListener("input",()=>state.
set({things:things().map((one,n)=>n===i?{...one,name:name2.value}:one)})),name2.addEventListener("keydown",event=>{event.key==="En\
ter"&&root.closest(".viz")?.querySelector(".viz-stage")?.focus()}),remove.addEventListener("click",()=>{kept.splice(i,1);let left=things().
filter((_,n)=>n!==i);state.set({things:left,thing:Math.min(state.get("thing"),left.length-1)})}),item.append(choose,name2,count,share,
remove),{item,choose,name:name2,count,share,remove}}function show(next){if(view=next,put(box2,{hidden:!view.teach}),!view.teach){wasOpen=
!1;return}let{run,model,id:picture}=view.payload;last={run,model,picture,things:JSON.stringify(state.get("things"))};let features=known.
get(view.payload.run);features===void 0&&bring(view.payload.run);let ready=features&&"all"in features?features:null;ready&&label(ready);
let cannot=!!(features&&"why"in features);for(let part2 of["teach-things","teach-row","teach-explained"])put(find(part2),{hidden:cannot});
showThings(ready),write(find("teach-said"),said(features)),write(find("teach-how"),words.say(ready&&!ready.normed?"teach_how_plain":
"teach_how",{temperature:TEMPERATURE})),put(find("teach-add"),{disabled:things().length>=MOST_THINGS}),put(find("teach-colours"),{
"aria-pressed":view.labelled}),!wasOpen&&!view.isReading&&intoView(box2,"nearest"),wasOpen=!0}function showThings(ready){let taught=view?.
taught?.run===view?.payload.run?view?.taught:null,chosen=Math.min(view?.thing??0,things().length-1);rows.forEach(({item,choose,name:name2,
count,share,remove},i)=>{let thing=things()[i];if(put(item,{hidden:!thing}),!thing)return;let label2=words.say("teach_thing",{n:i+
1});put(choose,{"aria-pressed":i===chosen,"aria-label":words.say("teach_choose",{name:nameOf4(i)})}),document.activeElement!==name2&&
put(name2,{value:thing.name}),put(name2,{placeholder:label2,"aria-label":words.say("teach_name",{n:i+1})});let n=ready?rowsOf(i,ready).
length:thing.at.length;write(count,words.say(n===1?"teach_count_1":"teach_count",{n})),write(share,taught?shareOf2(i,taught.labels):
""),put(remove,{hidden:things().length<=2,"aria-label":words.say("teach_remove",{name:nameOf4(i)})})})}function shareOf2(i,labels){
let share=labels.filter(([thing])=>thing===i).length/labels.length;return words.say("teach_share",{share:percent(share)})}function said(features){
if(features==null)return words.say("teach_wait");if("why"in features)return features.why;let counts=things().map((_,i)=>rowsOf(i,features).
length),others=kept.flat().find(({model})=>model!==view?.payload.model);return counts.filter(Boolean).length>=2?words.say("teach_d\
one"):others&&!counts.some(Boolean)?words.say("teach_other_model",{model:others.model}):words.say("teach_hint")}async function bring(run){
known.set(run,null);let answer=await ask("features",run);known.set(run,answer.features?unpacked(answer):{why:answer.why??words.say(
answer.large?"teach_too_many":"asked_lost")}),known.size>KEPT2&&known.delete(known.keys().next().value),view?.teach&&view.payload.
run===run&&show(view)}function rowsOf(i,features){let earlier=(kept[i]??[]).filter(({model,row:row2})=>model===view?.payload.model&&
row2.length===features.width);return[...markedOf(i,features),...earlier.map(({row:row2})=>row2)]}function markedOf(i,features){return(things()[i]?.
at??[]).map(place2=>view?.patchAt(place2)).filter(Boolean).map(([row2,col])=>features.rows(row2*features.grid[1]+col))}async function label(features){
let{run,model}=view?.payload??{run:"",model:""},made2=JSON.stringify([run,things().map(({at})=>at),kept.map(some2=>some2.length)]);
if(made2===labelled)return;labelled=made2;let marks=marksOf(things()),marked=things().map((_,i)=>rowsOf(i,features)),these=[...marked.
keys()].filter(i=>marked[i].length);if(await null,these.length<2)return state.set({taught:null});let prototypes=these.map(i=>meanOf(
marked[i])),shares=sharesOf(features.all,prototypes),labels=nearest(shares,these.length).map(({thing,share})=>[these[thing],share]);
state.set({taught:{run,model,grid:features.grid,things:these.length,labels,marks,these,prototypes}}),speak(()=>words.list(these.map(
i=>`${nameOf4(i)} ${shareOf2(i,labels)}`)))}function reset({id}){let before=known.get(last.run),isOurs=last.run&&last.things===JSON.
stringify(state.get("things"));if(isOurs&&before&&"all"in before&&view){let{model,picture}=last,rows2=i=>markedOf(i,before).map(row2=>({
model,picture,row:row2.slice()}));kept=things().map((_,i)=>[...kept[i]??[],...rows2(i)])}isOurs?state.set({things:state.get("thing\
s").map(({name:name2})=>({name:name2,at:[]}))}):kept=kept.map(some2=>some2.filter(({picture})=>picture!==id)),last={run:"",model:"",
picture:"",things:""},labelled=""}function press2(key){if(!state.get("teach")||Number(key)>things().length)return!1;state.set({thing:Number(
key)-1}),speak(()=>words.say("teach_choose",{name:nameOf4(Number(key)-1)}))}return{reset,show,press:press2}}};function unpacked({features,
grid,normed}){let all=halfToFloat(new Uint16Array(bytesOf(features).buffer)),width=all.length/(grid[0]*grid[1]);return{all,grid,normed,
width,rows:patch=>all.subarray(patch*width,(patch+1)*width)}}var Film=class{constructor({steps,curves,levels,learned,classes,pictures}){this.steps=steps,this.curves=curves,this.levels=levels,
this.learned=learned,this.classes=classes,this.pictures=pictures}get last(){return this.steps[this.steps.length-1]}nearest(step){let far=this.
steps.map(one=>Math.abs(one-step));return far.indexOf(Math.min(...far))}curve(name2,layer=0){let rows=this.curves[name2];return rows?
rows[rows.length>1?layer:0]??null:null}known(step){return Object.entries(this.learned).filter(([,since])=>since<=step).sort(([,one],[
,other])=>one-other).map(([label])=>label)}marks(){let found=new Map;for(let[label,step]of Object.entries(this.learned)){let at=this.
steps.indexOf(step);at>=0&&found.set(at,[...found.get(at)??[],label])}return[...found].sort(([one],[other])=>one-other)}next(at,has){
return[...this.steps.keys()].sort((one,other)=>Math.abs(one-at)-Math.abs(other-at)||other-one).map(one=>this.steps[one]).find(step=>!has(
step))}};var Layout=class{constructor({prefix:prefix2,grid},window2){this.prefix=prefix2,this.grid=grid,this.first=prefix2.length,this.tokens=
prefix2.length+grid[0]*grid[1],this.onPicture=this.patchesOnPicture(window2)}patchesOnPicture([left,top,right,bottom]){let[rows,cols]=this.
grid,seen=new Uint8Array(this.tokens);for(let row2=0;row2<rows;row2++)for(let col=0;col<cols;col++){let x=left+(right-left)*col/cols,
y=top+(bottom-top)*row2/rows,inside=x<1&&y<1&&x+(right-left)/cols>0&&y+(bottom-top)/rows>0;seen[this.tokenOf([row2,col])]=Number(inside)}
return seen}tokenOf([row2,col]){return this.first+row2*this.grid[1]+col}cellOf(token){let patch=typeof token=="string"?-1:token-this.
first;return patch<0?null:[Math.floor(patch/this.grid[1]),patch%this.grid[1]]}cellAt([x,y]){let at=(share,count)=>Math.min(count-1,
Math.max(0,Math.floor(share*count+1e-9)));return[at(y,this.grid[0]),at(x,this.grid[1])]}centreOf([row2,col]){return[(col+.5)/this.
grid[1],(row2+.5)/this.grid[0]]}};var OF_LAYER=/^(?:q|k|lse|dense|mean|queries|keys)\.(\d+)$/;function nameOf(block){let layer=OF_LAYER.exec(block);return layer?nameOfLayer(
layer[1]):block.startsWith("cross.")?"cross":"named"}var nameOfLayer=layer=>`layer ${layer}`,Pieces=class{constructor(blocks,start2,first,end2){
this.all=[{name:"first",from:0,to:start2+first,arrived:0}];for(let[block,[offset]]of Object.entries(blocks)){if(offset<first)continue;
let from=start2+offset,last=this.all[this.all.length-1];last.name!==nameOf(block)&&(last.to=from,this.all.push({name:nameOf(block),
from,to:end2,arrived:from}))}this.all[this.all.length-1].to=end2}note(from,end2){for(let piece of this.all)from<=piece.arrived&&piece.
arrived<end2&&(piece.arrived=Math.min(end2,piece.to))}has(from,to){let piece=this.all.find(one=>from<one.to);return piece?to<=piece.
arrived:to<=from}hasPiece(name2){return this.all.every(one=>one.name!==name2||one.arrived>=one.to)}get isComplete(){return this.all.
every(({arrived,to})=>arrived>=to)}next(wanted,most){let missing=one=>wanted.includes(one.name)&&one.arrived<one.to,untouched=one=>missing(
one)&&one.arrived===one.from,name2=wanted.find(one=>this.all.some(piece=>piece.name===one&&missing(piece))),at=this.all.findIndex(
piece=>piece.name===name2&&missing(piece));if(at<0)return null;let before=this.all[at-1],from=untouched(this.all[at])&&before&&untouched(
before)&&before.to-before.from<=64e3?before.from:this.all[at].arrived,{to}=this.all[at];for(let piece of this.all.slice(at+1)){if(!untouched(
piece)||piece.to-from>most)break;to=piece.to}return[from,to]}cut(end2){for(let piece of this.all)piece.arrived=Math.max(piece.from,
Math.min(end2,piece.to))}};var MOST4=1e6,BYTES={bytes:1,f16:2,f32:4,i32:4},Lost=class extends Error{constructor(key,values={}){super(key),this.key=key,this.values=
values}},Payload=class _Payload{constructor(header,headerEnd,buffer){this.url="",this.run="",this.bitmap=null,this.id=header.id,this.
model=header.model,this.notes=header.notes,this.pages=header.pages??null,this.lesson=header.lesson??null,this.prefix=header.prefix,
this.grid=header.grid,this.readout=header.readout,this.named=header.named,this.noChain=header.noChain,this.skipped=header.aside,this.
top=header.top,this.caution=header.caution??"",this.sinks=header.sinks??null,this.picture=header.picture,this.input=header.input,this.
sees=header.sees??null,this.window=header.window,this.film=header.film??null,this.truth=header.truth,this.blocks=header.blocks,this.
layouts=header.layouts.map(layout=>new Layout(layout,this.window)),this.masks=header.masks??[],this.layers=header.layers.map(layer=>({
...layer,layout:layer.queries,like:`${layer.queries} ${layer.keys}`,queries:this.layouts[layer.queries],keys:this.layouts[layer.keys]})),
this.cross=(header.cross??[]).map(block=>({...block,keys:new Layout(block.keys,this.window)})),this.isPlain=this.layouts.length===
1&&!this.layers.some(layer=>layer.windowed),this.isLarge=this.layers.some(layer=>layer.kind==="asked"),this.isMean=this.layers.some(
layer=>layer.kind==="mean"),this.finest=this.finestLayout(),this.start=headerEnd,this.buffer=buffer,this.pieces=new Pieces(this.blocks,
headerEnd,header.first,buffer.length),this.arrived=headerEnd,this.decoded=new Map}static async load(url,{bytes,first=0,answer=null},{
onFirst,onMore,signal}){let response=await(answer??fetch(url,{signal,headers:first?{Range:`bytes=0-${first-1}`}:{}}));if(!response.
ok)throw new Lost("load_status",{status:response.status});let buffer=new Uint8Array(bytes),payload=null,isBegun=!1;if(await streamed(
response,buffer,0,arrived=>{payload=payload||_Payload.parse(buffer,arrived),payload&&(payload.pieces.note(0,arrived),!isBegun&&payload.
has("picture")&&payload.hasFirst()?(isBegun=!0,onFirst(payload)):isBegun&&onMore(payload))}),!isBegun)throw new Lost("load_short");
return payload.url=url,payload}async fetchRest(wanted,{onMore,signal}){for(let part2=this.pieces.next(wanted(),MOST4);part2;part2=
this.pieces.next(wanted(),MOST4)){let[from,to]=part2,response=await fetch(this.url,{signal,headers:{Range:`bytes=${from}-${to-1}`}});
if(!response.ok)throw new Lost("load_status",{status:response.status});let at=response.status===206?from:0;if(await streamed(response,
this.buffer,at,arrived=>{this.pieces.note(at,arrived),onMore(this)})<to)throw new Lost("load_short")}}static parse(buffer,arrived){
if(arrived<8)return null;let length2=new DataView(buffer.buffer).getUint32(4,!0);if(arrived<8+length2)return null;let header=JSON.
parse(new TextDecoder().decode(buffer.subarray(8,8+length2)));return new _Payload(header,8+length2,buffer)}finestLayout(){let{queries,
keys}=this.layers[0];if(this.isPlain)return queries;let prefix2=[...new Set(this.layouts.flatMap(layout=>layout.prefix))],{grid}=queries.
tokens-queries.first>=keys.tokens-keys.first?queries:keys;return new Layout({prefix:prefix2,grid},this.window)}get canRoll(){return!this.
noChain&&!this.isLarge}has(name2){if(!(name2 in this.blocks))return!1;let[offset,kind,shape]=this.blocks[name2],from=this.start+offset;
return this.pieces.has(from,from+BYTES[kind]*shape.reduce((a,b)=>a*b,1))}hasFirst(){return this.pieces.all[0].arrived>=this.pieces.
all[0].to}hasLayer(layer){let{kind,windowed}=this.layers[layer];return[...{dense:["dense"],factors:["q","k","lse"],mean:["mean"],asked:[
"never"]}[kind],...windowed?["queries","keys"]:[]].every(part2=>this.has(`${part2}.${layer}`))}hasCross(block){return{dense:["dens\
e"],factors:["q","k","lse"],asked:["never"]}[this.cross[block].kind].every(part2=>this.has(`cross.${part2}.${block}`))}async decodePicture(){
if(this.bitmap)return;let blob=new Blob([this.get("picture")],{type:this.picture.type});this.bitmap=await createImageBitmap(blob)}get shape(){
return JSON.stringify([this.layers.length,this.layouts.map(({prefix:prefix2})=>prefix2)])}get complete(){return this.pieces.isComplete}set arrived(end2){
this.pieces.cut(end2)}get(name2,arena=null){return this.decoded.has(name2)||this.decoded.set(name2,this.decode(name2,arena)),this.
decoded.get(name2)}decode(name2,arena){let[offset,kind,shape]=this.blocks[name2],length2=shape.reduce((a,b)=>a*b,1),at=this.start+
offset;return kind==="bytes"?this.buffer.subarray(at,at+length2):kind==="f32"?new Float32Array(this.buffer.buffer,at,length2):kind===
"i32"?new Int32Array(this.buffer.buffer,at,length2):halfToFloat(this.halves(name2),arena?.take(length2))}halves(name2){let[offset,
,shape]=this.blocks[name2];return new Uint16Array(this.buffer.buffer,this.start+offset,shape.reduce((a,b)=>a*b,1))}};async function streamed(response,buffer,at,tell){
let reader=response.body.getReader();for(;;){let{done,value}=await reader.read();if(done)return at;if(at+value.length>buffer.length)
throw new Lost("load_short");buffer.set(value,at),at+=value.length,tell(at)}}var HIGH2=46,KINDS={right:["accuracy","unmarked"],looks:["object","mark"]},Curves=class{constructor(root,words,go){this.root=root,
this.words=words,this.go=go,this.drawn=""}begin(film){this.film=film,this.drawn="",this.root.replaceChildren(),film.curve("accurac\
y")&&(this.charts=Object.fromEntries(Object.keys(KINDS).map(kind=>[kind,this.chart(kind)])),this.root.append(this.charts.right.box,
this.marks(),this.charts.looks.box))}chart(kind){let box2=document.createElement("figure");box2.className=`viz-curve viz-curve-${kind}`;
let title=box2.appendChild(document.createElement("figcaption")),drawing=svg("svg",{viewBox:`0 0 100 ${HIGH2}`,preserveAspectRatio:"\
none","aria-hidden":"true"});return box2.append(drawing),drawing.addEventListener("pointerdown",event=>{let{left,width}=drawing.getBoundingClientRect();
this.go(Math.round((event.clientX-left)/width*(this.film.steps.length-1)))}),{box:box2,title,drawing}}marks(){let row2=document.createElement(
"div");row2.className="viz-curve-marks",row2.append(Object.assign(document.createElement("span"),{textContent:this.words.say("time\
_marks")}));for(let[at,labels]of this.film.marks()){let button=document.createElement("button"),said=this.words.say("time_learnt",
{step:this.film.steps[at],list:this.words.list(labels)});button.style.left=`${100*at/(this.film.steps.length-1)}%`,button.textContent=
String(labels.length),button.title=said,button.setAttribute("aria-label",said),button.dataset.at=String(at),button.addEventListener(
"click",()=>this.go(at)),row2.append(button)}return row2}show(at,layer){if(!this.charts)return;let now=`${at} ${layer}`;if(now!==this.
drawn){this.drawn=now;for(let[kind,names]of Object.entries(KINDS)){let{title,drawing}=this.charts[kind],lines=names.map(name2=>[name2,
this.film.curve(name2,layer)]).filter(([,row2])=>row2);title.replaceChildren(...lines.map(([name2,row2])=>keyOf(name2,this.words.say(
`curve_${name2}`,{layer:layer+1,share:percent(row2[at])}))));let level=this.film.levels[names[0]];drawing.replaceChildren(...level===
void 0?[]:[lineOf("viz-curve-level",[level,level],1)],...lines.map(([name2,row2])=>lineOf(`viz-curve-${name2}`,row2,row2.length-1)),
lineAt(at/(this.film.steps.length-1)))}for(let button of this.root.querySelectorAll("button"))button.setAttribute("aria-pressed",String(
Number(button.dataset.at)<=at))}}};function keyOf(name2,text3){let key=document.createElement("span");return key.className=`viz-cu\
rve-key viz-curve-${name2}`,key.textContent=text3,key}function lineOf(name2,row2,last){let points=row2.map((share,i)=>`${100*i/last}\
,${((1-share)*(HIGH2-2)+1).toFixed(2)}`).join(" ");return svg("polyline",{class:name2,points})}function lineAt(share){return svg("\
line",{class:"viz-curve-now",x1:100*share,x2:100*share,y1:0,y2:HIGH2})}var STEP2=500,CALM_STEP2=1500,panel_time={name:"time",place:"explore",order:15,html:`
    <section class="viz-time" aria-label="$time" hidden>
      <div class="viz-row">
        <label><span data-term="training">$time</span></label>
        <button class="viz-time-play" aria-pressed="false" title="$time_play" aria-label="$time_play">&#9654;</button>
        <input class="viz-time-at" type="range" min="0" max="1" step="1" value="0" title="$time_help" />
        <output class="viz-time-value"></output>
      </div>
      <div class="viz-time-curves"></div>
      <p class="viz-time-said"></p>
    </section>`,keys:{"<":"",">":""},state:{moment:moving(index(null))},mount(root,{state,ask,words,change:change2}){let find=finder(
root),speak=speaker(find("time-said")),curves=new Curves(find("time-curves"),words,at2=>go(at2)),film=null,home=null,known=new Map,
why=new Map,shown=null,playing=0;pair(root.querySelector("label"),find("time-at")),find("time-at").addEventListener("input",({target})=>go(
Number(target.value))),find("time-play").addEventListener("click",()=>play());let at=()=>film?.nearest(state.get("moment")??home?.
film.at)??0;function go(number2){if(!film)return;let step=film.steps[Math.min(Math.max(0,number2),film.steps.length-1)];state.set(
{moment:step===home?.film.at?null:step})}function play(){if(playing)return stop();let calm=isStill();playing=setInterval(()=>{!film||
shown&&shown.film.at!==film.steps[at()]||(at()+1<film.steps.length?go(at()+1):stop())},calm?CALM_STEP2:STEP2),go(at()+1<(film?.steps.
length??0)?at()+1:0),showPlayer()}function stop(){clearInterval(playing),playing=0,showPlayer()}function showPlayer(){put(find("ti\
me-play"),{"aria-pressed":!!playing}),write(find("time-play"),playing?"‖":"▶")}function begin(payload){shown=payload,!(payload.
film&&known.get(payload.film.at)===payload)&&(stop(),home=payload,film=payload.film?new Film(payload.film):null,known=new Map(film?
[[payload.film.at,payload]]:[]),why=new Map,put(find("time"),{hidden:!film}),film&&(put(find("time-at"),{max:film.steps.length-1}),
curves.begin(film),fetchAll(film)))}async function fetchAll(mine){let run=home?.run??"";for(;;){let step=mine.next(at(),one=>known.
has(one)||why.has(one));if(mine!==film||step===void 0)return;let answer=await ask("moments",run,step);if(mine!==film||!home)return;
answer.maps?known.set(step,payloadOf(answer,home)):why.set(step,answer.why??words.say("asked_lost")),settle()}}function settle(){let wanted=film&&
known.get(film.steps[at()]);wanted&&wanted!==shown?change2(wanted):film&&lastView&&show(lastView)}let lastView=null;function show(view){
if(lastView=view,!film||!shown)return;let number2=at(),step=film.steps[number2];put(find("time-at"),{value:number2,"aria-valuetext":words.
say("time_at",{step,last:film.last})}),write(find("time-value"),words.say("time_at",{step,last:film.last})),curves.show(number2,view.
layer),write(find("time-said"),sentence(film,step,number2,view.layer)),speak(()=>find("time-said").textContent);let wanted=known.get(
step);wanted&&wanted!==shown&&queueMicrotask(settle)}function sentence(film2,step,number2,layer){if(why.has(step))return words.say(
"time_none",{step,why:why.get(step)});if(!known.has(step))return words.say("time_wait",{step,shown:shown?.film.at});let accuracy=film2.
curve("accuracy");if(!accuracy)return"";let parts=[],unmarked=film2.curve("unmarked"),place2=film2.curve("mark",layer)?"mark":"obj\
ect",shares={n:film2.pictures,right:percent(accuracy[number2]),chance:percent(film2.levels.accuracy)};unmarked?parts.push(words.say(
"time_right_both",{...shares,unmarked:percent(unmarked[number2])})):parts.push(words.say("time_right",shares));let row2=film2.curve(
place2,layer);if(row2){let said={layer:layer+1,share:percent(row2[number2]),even:percent(film2.levels[place2])};parts.push(words.say(
`time_on_${place2}`,said))}let labels=film2.known(step),n=labels.length;return n===film2.classes?parts.push(words.say("time_knows_\
all",{n})):n?parts.push(words.say("time_knows",{n,all:film2.classes,list:words.list(labels)})):parts.push(words.say("time_knows_no\
ne")),words.told(parts)}function press2(key){if(!film)return!1;go(at()+(key==="<"?-1:1))}return{reset:begin,swap:begin,show,press:press2,
stop}}};function payloadOf({maps,run,sinks},{bitmap,lesson,caution}){let bytes=bytesOf(maps),payload=Payload.parse(bytes,bytes.length);
return payload.arrived=bytes.length,Object.assign(payload,{run,sinks:sinks??payload.sinks,bitmap,lesson,caution})}var panel_tokens={name:"tokens",place:"explore",order:5,html:`
    <div class="viz-line">
      <span class="viz-direction" role="group" aria-label="$direction_label">
        <button data-set="direction" data-value="from" title="$from_help">$from</button><button data-set="direction" data-value="t\
o" title="$to_help">$to</button>
      </span>
      <span class="viz-chips" role="group" aria-label="$chips_label"></span>
    </div>`,mount(root,{state,words}){let box2=finder(root)("chips"),direction=new Choice(root,state),chips=[];function begin({finest,
layers,named}){let prefix2=finest.prefix.filter(name2=>layers.some(({queries})=>queries.prefix.includes(name2)));chips=[...new Set(
[...prefix2,...named])].map(name2=>chipOf(name2,prefix2.includes(name2))),box2.replaceChildren(...chips.map(({chip})=>chip))}function chipOf(name2,getsShare){
let chip=document.createElement("button");return chip.classList.toggle("viz-with-share",getsShare),chip.innerHTML="<b></b> <span><\
/span><i></i>",chip.children[0].textContent=words.say(...nameKey("chip",name2)),chip.title=words.say(...nameKey("chip",name2,"_hel\
p")),chip.onclick=()=>{let isPinned=state.get("pinned")&&chip.dataset.pinned==="true";state.set({token:name2,place:null,pinned:!isPinned,
crossBlock:null})},{chip,name:name2}}function show(view){let{map}=view;direction.show(view.direction,value=>value==="to"&&(typeof view.
query=="string"||!view.hasColumns));for(let{chip,name:name2}of chips){let query=view.tokenIn(name2);put(chip,{disabled:!view.isKnown(
name2),"aria-pressed":view.query===query,"data-pinned":view.pinned&&view.chosen===query});let at=map.layout.prefix.indexOf(name2),
share=at>=0&&map.values?map.values[at]:null;write(chip.children[1],share===null?"":view.hiddenBy(at)?words.say("chip_hidden"):percent(
share)),chip.children[2].style.width=share===null?"0":`${Math.min(100,100*share)}%`}}return{reset:begin,swap:begin,show}}};var exercise={kind:"choose",mount(box2,{spec,state,words,done}){let view=null,group=document.createElement("div"),verdict=tagged("\
p","");group.className="viz-options",verdict.className="viz-verdict";let options=Object.entries(spec.options).map(([key,html])=>{let button=document.
createElement("button");return button.addEventListener("click",()=>choose(key)),group.append(button),{key,button,html}});box2.append(
group,verdict);function right(){return view?Object.hasOwn(READINGS,spec.right)?READINGS[spec.right]({view,words,then:[]}):spec.right:
null}function choose(key){spec.sets&&state.set(state.said(spec.sets));let truth=right();if(truth!==null){for(let option of options)
put(option.button,{disabled:!0,"aria-pressed":option.key===key}),option.key===truth&&(option.button.dataset.right="true");verdict.
textContent=words.say(key===truth?"book_right":"book_wrong"),done()}}function show(shown){view=shown;for(let{button,html}of options)
button.childNodes.length||(button.innerHTML=filled2(html,{view,words,then:[]})??"")}return{show}}};var SIDE2=200;function paintMap(payload,values,layout,map){let canvas=document.createElement("canvas"),stage=new Stage(canvas,{width:SIDE2,
height:SIDE2,ratio:1});return stage.setPicture(payload),stage.draw({values,layout,map,high:largest2(values,layout.onPicture)||1e-12,
queries:layout,reach:null,opacity:.8,byValue:!0,smooth:!1,showGrid:!1,marks:[],outlines:[],inputSize:payload.input}),canvas}var exercise2={kind:"classes",mount(box2,{words,ask,colours,done}){let button=tagged("button",words.say("classes_ask")),figures=document.
createElement("div"),told=tagged("p","");figures.className="viz-pairs",told.className="viz-verdict",box2.append(button,figures,told);
let view=null,shown="";button.addEventListener("click",bring);async function bring(){if(!view)return;let{payload,truth}=view;shown=
payload.run,put(button,{disabled:!0}),write(told,words.say("book_waits"));let answer=await ask("classes");if(payload.run!==view.payload.
run||(put(button,{disabled:!1}),write(told,answer.why??(answer.classes?"":words.say("asked_lost"))),!answer.classes))return;let layout=new Layout(
{prefix:[],grid:answer.grid},payload.window);figures.replaceChildren(...answer.classes.map(({label,share,map})=>{let values=floatsOf(
map),figure=document.createElement("figure"),parts=truth.parts.map(({name:name2,on})=>words.say("score_part",{name:name2,share:percent(
METRICS.energy(values,on(answer.grid))??0)}));return figure.append(paintMap(payload,values,layout,colours.viridis),tagged("figcapt\
ion",words.say("classes_said",{label,share:percent(share),parts:words.list(parts)}))),figure})),done()}return{show(next){view=next,
!(!shown||shown===view.payload.run)&&(shown="",figures.replaceChildren(),write(told,""),put(button,{disabled:!1}))}}}};var[WIDE,HIGH3,EDGE]=[150,70,6];function chart(lines,{title,said,at,label}){let count=Math.max(...lines.map(({values})=>values.length),
2),high=Math.max(...lines.flatMap(({values})=>values.map(value2=>value2??0)),1e-9),x=layer=>EDGE+layer/(count-1)*(WIDE-2*EDGE),y=value2=>HIGH3-
EDGE-value2/high*(HIGH3-2*EDGE),drawing=svg("svg",{viewBox:`0 0 ${WIDE} ${HIGH3}`,role:"img","aria-label":`${title}, ${label}: ${said}`});
drawing.append(svg("line",{x1:EDGE,x2:WIDE-EDGE,y1:HIGH3-EDGE,y2:HIGH3-EDGE,class:"viz-axis"})),drawing.append(svg("line",{x1:x(at),
x2:x(at),y1:EDGE,y2:HIGH3-EDGE,class:"viz-now"}));for(let{values,isOwn}of[...lines].sort((a,b)=>Number(a.isOwn)-Number(b.isOwn))){
let points=values.flatMap((value3,layer)=>value3===null?[]:[`${x(layer).toFixed(1)},${y(value3).toFixed(1)}`]);points.length&&drawing.
append(svg("polyline",{points:points.join(" "),class:isOwn?"viz-own":"viz-other"}));let value2=values[at];isOwn&&value2!==null&&value2!==
void 0&&drawing.append(svg("circle",{cx:x(at),cy:y(value2),r:3}))}let figure=document.createElement("figure"),caption=document.createElement(
"figcaption"),value=document.createElement("b");return value.textContent=said,caption.append(`${title} `,value),figure.append(drawing,
caption),figure}function layerAt(drawing,clientX,count){let{left,width}=drawing.getBoundingClientRect(),along=((clientX-left)/width*
WIDE-EDGE)/(WIDE-2*EDGE);return Math.round(Math.min(Math.max(along,0),1)*(count-1))}var KINDS2=[["object",percent],["entropy",digits],["apart",value=>value.toFixed(0)],["own",percent]],ENOUGH=3,exercise3={kind:"cur\
ves",mount(box2,{state,words,open,here,done}){let figures=document.createElement("div"),more=tagged("button",words.say("curves_mor\
e")),count=tagged("output",""),habit=tagged("p","");figures.className="viz-curves",habit.className="viz-verdict",box2.append(figures,
more," ",count,habit);let seen=new Map,model="",drawn="",isDone=!1,pressed=-1,depth=0;more.addEventListener("click",next),figures.
addEventListener("pointerdown",event=>{pressed=[...figures.children].findIndex(one=>one.firstElementChild?.contains(event.target)),
!(pressed<0)&&(figures.setPointerCapture(event.pointerId),move2(event))}),figures.addEventListener("pointermove",event=>figures.hasPointerCapture(
event.pointerId)&&move2(event));function move2({clientX}){let drawing=figures.children[pressed]?.firstElementChild;drawing&&state.
set({layer:layerAt(drawing,clientX,depth)})}function next(){open(here().replace(/picture=lesson\/([a-z]+)\/(\d+)/,(_,lesson,number2)=>`\
picture=lesson/${lesson}/${(Number(number2)+1)%40}`))}function show(view){let{payload}=view;model!==payload.model&&seen.clear(),model=
payload.model;let found=view.query===view.tokenIn(payload.readout)&&!view.crossed&&!seen.has(payload.id)&&depthOf2(view);found&&seen.
set(payload.id,found),put(more,{hidden:!payload.lesson}),depth=payload.layers.length;let shown=JSON.stringify([payload.id,seen.size,
view.layer]);if(shown===drawn)return;drawn=shown,write(count,words.say("curves_seen",{n:seen.size}));let own=seen.get(payload.id);
figures.replaceChildren(...KINDS2.map(([key,written])=>{let lines=[...seen].map(([id,layers])=>({values:layers.map(one=>one[key]),
isOwn:id===payload.id})),value=own?.[view.layer][key],said=value==null?"":written(value);return chart(lines,{title:words.say(`dept\
h_${key}`),said,at:view.layer,label:words.say("depth_label",{layer:view.layer+1})})}));let all=[...seen.values()].map(layers=>[layers[0].
object,layers.at(-1)?.object]).filter(([a,b])=>a!==null&&b!==null),grown=all.filter(([first,last])=>last>first).length;write(habit,
all.length>=ENOUGH?words.say("curves_habit",{n:all.length,grown}):""),!isDone&&seen.size>=ENOUGH&&(isDone=!0,done())}return{show}}};var REST4=500,exercise4={kind:"do",mount(box2,{spec,state,words,done}){let wanted=Object.entries(spec.done),before=null,last=1,timer=0,
isDone=!1;if(spec.sets){let button=tagged("button",words.say("book_show")),changes=()=>spec.sets===LAST?{layer:last-1}:state.said(
spec.sets);button.addEventListener("click",()=>state.set(changes())),box2.append(button)}function show(view){last=view.payload.layers.
length;let now={...view,picture:view.payload.id,model:view.payload.model};if(before??=now,isDone)return;let isSo=wanted.every(([key,
how])=>is(now[key],how,before?.[key]));isSo&&!timer?timer=later(finish,REST4):isSo||stop()}function is(value,how,was){return how===
"changed"?String(value)!==String(was):how==="last"?value===last-1:how==="none"?value===null:how==="any"?value!==null&&value!==!1:typeof how==
"string"&&how.startsWith(">=")?value>=Number(how.slice(2)):value===how}function finish(){isDone=!0;for(let button of box2.querySelectorAll(
"button"))put(button,{disabled:!0});done()}function stop(){callOff(timer),timer=0}return{show,stop}}};var exercise5={kind:"guesses",mount(box2,{words,book,done}){let list=document.createElement("div"),forget=tagged("button",words.say(
"guesses_forget"));list.className="viz-guesses",box2.append(list,forget),forget.addEventListener("click",()=>{book.memory.forget(),
draw()});function draw(){let all=Object.entries(book.memory.guesses);if(put(forget,{hidden:!all.length}),!all.length)return list.replaceChildren(
tagged("p",words.say("guesses_none")));list.replaceChildren(...all.map(([,guess])=>{let line=document.createElement("div"),bar=document.
createElement("i");return bar.style.setProperty("--mine",String(guess.mine)),bar.style.setProperty("--centre",String(guess.centre)),
bar.style.setProperty("--chance",String(guess.chance)),line.append(tagged("span",words.say("guesses_one",{n:guess.chapter,mine:percent(
guess.mine)})),bar,tagged("span",words.say("guesses_beside",{centre:percent(guess.centre),chance:percent(guess.chance)}))),line}))}
return draw(),Promise.resolve().then(()=>done()),{}}};var exercise6={kind:"mark",mount(box2,{words,open,here,done}){let button=tagged("button",words.say("mark_take")),told=tagged("p","");
told.className="viz-verdict",box2.append(button,told);let handle=null,isDone=!1;function take(){put(button,{disabled:!0}),write(told,
words.say("mark_waits")),open(here().replace(/(picture=lesson\/[a-z]+\/\d+)(?!\/bare)/,"$1/bare"))}button.addEventListener("click",
take);function show(view){let{payload}=view;if(payload.lesson?.isBare){leave(),write(told,""),put(button,{hidden:!0}),!isDone&&view.
map.values&&done(),isDone||=!!view.map.values;return}let mark=view.truth.parts.find(({object})=>!object);if(!mark||isDone)return leave();
place2(view,mark.on(payload.grid))}function place2(view,target){let stage=box2.closest(".viz")?.querySelector(".viz-canvas-box"),canvas=stage?.
querySelector(".viz-picture")??null;if(!stage||!canvas||handle?.isConnected)return;let[top,left,bottom,right]=boxOf(target);handle=
document.createElement("button"),handle.className="viz-mark",handle.title=words.say("mark_drag"),handle.setAttribute("aria-label",
words.say("mark_take"));let{bitmap}=view.payload,picture=document.createElement("canvas");[picture.width,picture.height]=[Math.round(
(right-left)*bitmap.width),Math.round((bottom-top)*bitmap.height)],picture.getContext("2d")?.drawImage(bitmap,-left*bitmap.width,-top*
bitmap.height),handle.append(picture),Object.assign(handle.style,{left:`${100*left}%`,top:`${100*top}%`,width:`${100*(right-left)}\
%`,height:`${100*(bottom-top)}%`}),handle.addEventListener("keydown",event=>["Enter"," "].includes(event.key)&&take()),handle.addEventListener(
"pointerdown",event=>drag(event,canvas)),stage.append(handle)}function drag(event,canvas){let held=handle,[x,y]=[event.clientX,event.
clientY];held.setPointerCapture(event.pointerId),held.dataset.held="true",event.preventDefault();let move2=at=>held.style.translate=
`${at.clientX-x}px ${at.clientY-y}px`,end2=at=>{held.removeEventListener("pointermove",move2);let{left,top,right,bottom}=canvas.getBoundingClientRect();
if(at.type==="pointerup"&&(at.clientX<left||at.clientX>right||at.clientY<top||at.clientY>bottom))return take();held.style.translate=
"",delete held.dataset.held};held.addEventListener("pointermove",move2),held.addEventListener("pointerup",end2,{once:!0}),held.addEventListener(
"pointercancel",end2,{once:!0})}function leave(){handle?.remove(),handle=null}return{show,stop:leave}}};function boxOf({cover,rows,
cols}){let on=[...cover.keys()].filter(i=>cover[i]>.25),[ys,xs]=[on.map(i=>Math.floor(i/cols)),on.map(i=>i%cols)];return[Math.min(
...ys)/rows,Math.min(...xs)/cols,(Math.max(...ys)+1)/rows,(Math.max(...xs)+1)/cols]}var exercise7={kind:"network",mount(box2,{words,book,done}){let network=new Network(words);return network.element.classList.add("v\
iz-way-whole"),book.chapters.forEach((chapter,number2)=>{if(chapter===book.whole)return;let isDone=book.memory.done.includes(chapter.
name),button=tagged("button",`${number2} · ${plain(chapter.title)}${isDone?" ✓":""}`);button.dataset.chapter=chapter.name,button.
addEventListener("click",()=>book.open(chapter.name)),network.parts[chapter.part].place.append(button)}),box2.append(network.element),
Promise.resolve().then(()=>done()),{show:view=>network.show(view,words.say(...nameKey("chip",view.payload.readout)))}}};var PATCHES=3,exercise8={kind:"taps",mount(box2,{name:name2,chapter,state,words,done,book}){let count=tagged("output",""),reveal=tagged(
"button",words.say("guess_reveal")),told=tagged("p","");box2.classList.add("viz-taps"),told.className="viz-verdict",box2.append(count,
reveal,told);let view=null,isDone=!1;reveal.addEventListener("click",finish);let begin=()=>Promise.resolve().then(()=>!isDone&&state.
set({guess:[],marked:[],place:null,token:null,pinned:!1,hover:null}));begin();function finish(){let places=state.get("guess")??[];
if(!view?.map.values||places.length<PATCHES)return;isDone=!0,state.set({guess:null,marked:places,hover:null});let{map}=view,cells=places.
map(view.cellAt).filter(Boolean),found=scoreGuess(map.values,map.layout,cells);if(put(reveal,{hidden:!0}),put(count,{hidden:!0}),found){
let{mine,centre,chance}=found;write(told,words.say("guess_found",{mine:percent(mine),centre:percent(centre),chance:percent(chance)})),
book.memory.guessed(name2,{mine,centre,chance,chapter})}done()}function stop(){isDone=!0,state.set({guess:null,marked:[]})}function show(shown){
view=shown,!isDone&&!view.guess&&begin();let n=view.guess?.length??0;write(count,words.say("guess_count",{n,all:PATCHES})),put(reveal,
{disabled:n<PATCHES})}return{show,stop}}};var exercise9={kind:"trial",mount(box2,{words,ask,done}){let button=tagged("button",words.say("trial_ask")),table=document.createElement(
"table"),told=tagged("p","");told.className="viz-verdict",box2.append(button,table,told),put(table,{hidden:!0});let view=null,shown="";
button.addEventListener("click",bring);async function bring(){if(!view)return;let{run,layers}=view.payload;shown=run,put(button,{disabled:!0}),
write(told,words.say("book_waits"));let answer=await ask("trial",layers.length-1);if(run!==view.payload.run||(put(button,{disabled:!1}),
write(told,answer.why??(answer.by_map?"":words.say("asked_lost"))),!answer.by_map))return;let inner=answer.shares.map((_,i)=>i).slice(
0,-1),head=row("th",[words.say("trial_gone"),...inner.map(i=>percent(answer.shares[i]))]),lines=[row("td",[words.say("trial_by_map"),
...inner.map(i=>percent(answer.by_map[i]))]),row("td",[words.say("trial_by_chance"),...inner.map(i=>percent(answer.by_chance[i]))])];
table.replaceChildren(tagged("caption",words.say("trial_title",{label:answer.label})),head,...lines),put(table,{hidden:!1});let left=TRIED.
map(name2=>words.say(`trial_${name2}`,{left:answer.forgotten[name2].toFixed(2).replace("-","−")}));write(told,words.say("trial_f\
orgot",{list:words.list(left)}));let at=(curve,share)=>percent(curve[answer.shares.indexOf(share)]);done({tenth:at(answer.by_map,.1),
tenth_chance:at(answer.by_chance,.1),most:at(answer.by_map,.4),most_chance:at(answer.by_chance,.4)})}return{show(next){view=next,!(!shown||
shown===view.payload.run)&&(shown="",put(table,{hidden:!0}),write(told,""),put(button,{disabled:!1}))}}}};function row(tag,cells){
let line=document.createElement("tr");return line.append(...cells.map((text3,i)=>tagged(i?tag:"th",text3))),line}var KEY2="vizapp-book",Memory=class{constructor(){this.kept={chapter:"",guesses:{}};try{let found=JSON.parse(localStorage.getItem(
KEY2)??"null");found&&typeof found.chapter=="string"&&isTable(found.guesses)&&(this.kept=found)}catch{}}get chapter(){return this.
kept.chapter}set chapter(name2){this.keep({...this.kept,chapter:name2})}get done(){return Array.isArray(this.kept.done)?this.kept.
done:[]}finished(chapter){this.done.includes(chapter)||this.keep({...this.kept,done:[...this.done,chapter]})}get guesses(){return this.
kept.guesses}guessed(name2,guess){this.keep({...this.kept,guesses:{...this.kept.guesses,[name2]:guess}})}forget(){this.keep({...this.
kept,guesses:{},done:[]})}keep(kept){this.kept=kept;try{localStorage.setItem(KEY2,JSON.stringify(kept))}catch{}}};function isTable(found){
let isShare=one=>typeof one=="number"&&one>=0&&one<=1.000000001;return typeof found=="object"&&found!==null&&Object.values(found).
every(one=>["mine","centre","chance"].every(key=>isShare(one?.[key]))&&Number.isInteger(one.chapter))}var Book=class{constructor(chapters,road,state){this.chapters=chapters,this.road=road,this.state=state,this.memory=new Memory,this.
before=""}at(name2){return this.chapters.findIndex(one=>one.name===name2)}get whole(){return this.chapters.find(({exercises:exercises2})=>exercises2.
some(({kind})=>kind==="network"))}linkOf({opens,name:name2}){return`v=1&${opens}&chapter=${name2}`}open(name2=this.memory.chapter){
let chapter=this.chapters[Math.max(0,this.at(name2))];chapter&&(this.at(this.state.get("chapter"))<0&&(this.before=this.road.here()),
this.memory.chapter=chapter.name,this.road.open(this.linkOf(chapter)))}close(){let{before}=this,[page]=this.road.here().match(/^[^]*?(?=&(?!v=|picture=|model=|fit=)|$)/)??
[""];this.before="",before&&!/picture=(upload|photo)/.test(page)?this.road.open(before):this.road.open(page||"#v=1")}};var MOST_SHAPES=500,isPoint=point=>Array.isArray(point)&&point.length===2&&point.every(Number.isFinite),isLine=points=>Array.isArray(
points)&&points.length>0&&points.every(isPoint),isShape=shape=>Array.isArray(shape?.box)?shape.box.length===4&&shape.box.every(Number.
isFinite):isLine(shape?.stroke??shape?.erase)&&isPoint(shape.radius),areShapes=shapes=>Array.isArray(shapes)&&shapes.length<=MOST_SHAPES&&
shapes.every(isShape),areGuesses=places=>places===null||Array.isArray(places)&&places.length<=MOST_MARKS&&places.every(isPoint),isThing=thing=>typeof thing?.
name=="string"&&thing.name.length<=THING_LETTERS&&thing.at!==null&&areGuesses(thing.at),areThings=things=>Array.isArray(things)&&things.
length<=MOST_THINGS&&things.every(isThing),KEYS2={place:place(),token:name(null),pinned:flag(!1),hover:moving(passing(place())),layer:index(
null),head:index(0),fusion:oneOf("mean",["one",...FUSIONS]),method:oneOf("attention",CHAINS),skipWeight:number(SKIP_WEIGHT,0,1),direction:oneOf(
"from",DIRECTIONS),crossBlock:index(null),crossQuery:index(0),peek:moving(passing(json(null,value=>value===null||isPoint(value)))),
atlas:flag(!1),score:flag(!1),question:flag(!1),steps:flag(!1),number:place(),teach:flag(!1),things:json([],areThings),thing:passing(
index(0)),labelled:passing(flag(!0)),taught:passing(json(null,taught=>taught===null||Array.isArray(taught?.labels))),chapter:name(
null),guess:passing(json(null,areGuesses)),marked:passing(json([],areGuesses)),scale:oneOf("map",SCALES),fixed:number(.05,0,1),colours:name(
"viridis"),opacity:number(OPACITY,0,1),byValue:flag(!0),smooth:flag(!1),grid:flag(!0),metric:name("energy"),outline:flag(!0),hand:moving(
passing(json(null,hand=>hand===null||isPoint(hand?.at)&&(!hand.from||isPoint(hand.from))))),tool:passing(oneOf(null,[null,...TOOLS])),
shapes:moving(json([],areShapes)),past:moving(passing(json([],past=>Array.isArray(past)&&past.every(areShapes)))),sinks:flag(!0),sinksApart:flag(
!1),sinksFound:passing(json({},found=>typeof found=="object"&&found!==null))},OF_FRAME={guess:null,marked:[],tool:null,hand:null,shapes:[],
past:[]},OF_PICTURE={place:null,token:null,pinned:!1,hover:null,number:null,direction:"from",question:!0,...OF_FRAME};var PAGE_KEYS=["v","picture","page","model","fit","edits","tab"];var ROWS_KEPT=16e6,Asker=class{constructor(payload,ask,arrived){this.payload=payload,this.ask=ask,this.arrived=arrived,this.known=
new Map,this.size=0,this.wanted=new Map,this.underway=new Map,this.asked="",this.isLost=!1}get isBusy(){return this.underway.size>
0||this.wanted.size>0&&!this.isLost}has(layer,query,direction){let name2=`${direction} ${query} ${layer}`;if(this.known.has(name2))
return!0;if(typeof query=="string"||this.isLost)return!1;let asked=`${direction} ${query}`;return this.asked!==asked&&this.wanted.
clear(),this.asked=asked,this.underway.has(name2)||(this.wanted.size||setTimeout(()=>this.send()),this.wanted.set(name2,[layer,query,
direction])),!1}get(layer,query,direction,head,tokens){return this.known.get(`${direction} ${query} ${layer}`).subarray(head*tokens,
(head+1)*tokens)}async send(){if(this.underway.size||!this.wanted.size)return;this.underway=this.wanted,this.wanted=new Map;let wanted=[
...this.underway],tokens=wanted.map(([,[layer,query]])=>[layer,query]),answer=await this.ask("maps",this.payload.run,[wanted[0][1][2],
tokens]);this.underway=new Map,answer.rows?this.keep(wanted,answer.rows):this.isLost=!0,this.arrived(),this.isLost||this.send()}keep(wanted,rows){
let bytes=bytesOf(rows),values=halfToFloat(new Uint16Array(bytes.buffer));this.size+values.length>ROWS_KEPT&&(this.known.clear(),this.
size=0),this.size+=values.length;let from=0;for(let[name2,[layer,,direction]]of wanted){let{heads,queries,keys}=this.payload.layers[layer],
count=heads*(direction==="to"?queries:keys).tokens;this.known.set(name2,values.subarray(from,from+count)),from+=count}}};var FUSE={mean(rows,out){out.fill(0);for(let row2 of rows)for(let j=0;j<out.length;j++)out[j]+=row2[j]/rows.length},max(rows,out){
out.set(rows[0]);for(let row2 of rows)for(let j=0;j<out.length;j++)out[j]=Math.max(out[j],row2[j])},min(rows,out){out.set(rows[0]);
for(let row2 of rows)for(let j=0;j<out.length;j++)out[j]=Math.min(out[j],row2[j])}};function fuseInto(rows,fusion,out){if(!Object.
hasOwn(FUSE,fusion))throw new Error(`'${fusion}' is no head fusion.`);FUSE[fusion](rows,out)}function fuseHeads(rows,fusion){let out=new Float32Array(
rows[0].length);return fuseInto(rows,fusion,out),out}function factorsOf(sum3,skipWeight){let total=skipWeight+(1-skipWeight)*sum3;
return total>0?[(1-skipWeight)/total,skipWeight/total]:[0,1]}var source=null,compiled=null,arenas=new WeakMap;function load(wasm){source=wasm,compiled=null}var arenaOf=array=>arenas.get(array.
buffer),Arena=class _Arena{static of(count,most){let bytes=4*(count+2*most);if(!source||!count||bytes>1073741824)return null;try{return compiled??=
new WebAssembly.Module(source),new _Arena(bytes,most)}catch{return null}}constructor(bytes,most){let memory=new WebAssembly.Memory(
{initial:Math.ceil(bytes/65536)});this.kernels=new WebAssembly.Instance(compiled,{env:{memory}}).exports,this.values=new Float32Array(
memory.buffer),this.out=most,this.next=2*most,arenas.set(memory.buffer,this)}take(count){return this.next+count>this.values.length?
null:(this.next+=count,this.values.subarray(this.next-count,this.next))}dots(vectors,from,rows,start2,width,out,count){let{values,
kernels}=this;for(let i=0;i<width;i++)values[i]=vectors[from+i];kernels.dots(0,rows.byteOffset+4*start2,width,4*this.out,count);for(let j=0;j<
count;j++)out[j]=values[this.out+j]}};var Chain=class{constructor(attention){this.attention=attention,this.layers=attention.layers,this.finest=attention.payload.finest,
this.first=this.finest.first,this.onto=this.layers.map(({queries,keys})=>({queries:this.indices(queries),keys:this.indices(keys)}))}indices({
prefix:prefix2,first,tokens}){return Int32Array.from({length:tokens},(_,i)=>i<first?this.finest.prefix.indexOf(prefix2[i]):this.first+
i-first)}stepsOf(layers,fusion){return layers.map((fused,layer)=>{let{windowed,queries,keys,slots,keySlots,heads}=this.layers[layer],
{keys:onto}=this.onto[layer],every=Int32Array.from({length:queries.tokens},(_,token)=>token);if(!windowed)return this.step(fused,keys.
tokens,every,onto,0);let{starts,at}=this.attention.places(layer,"queries");if(every.every(token=>starts[token+1]-starts[token]<=1)){
let rows=every.map(token=>starts[token]<starts[token+1]?at[starts[token]]:-1),nowhere=this.first+keys.tokens-keys.first,columns=this.
attention.payload.get(`keys.${layer}`).map(token=>token<0?nowhere:onto[token]);return this.step(fused,keySlots,rows,columns,slots,
nowhere)}let whole2=new Float32Array(queries.tokens*keys.tokens);for(let token of every){let maps=Array.from({length:heads},(_,head)=>this.
attention.rowOfWindows(layer,head,token));whole2.set(fuseHeads(maps,fusion),token*keys.tokens)}return this.step(whole2,keys.tokens,
every,onto,0)})}step(matrix,width,rows,columns,slots,nowhere=-1){let froms=slots?rows.map(row2=>Math.floor(row2/slots)*width):rows.
map(()=>0),sums=Float64Array.from(rows,(row2,token)=>{let sum3=0;for(let j=0;row2>=0&&j<width;j++)columns[froms[token]+j]!==nowhere&&
(sum3+=matrix[row2*width+j]);return sum3});return{matrix,width,rows,columns,froms,sums}}rollout(layer,query,steps,skipWeight){let{
queries}=this.layers[layer],r=new Float32Array(this.first+queries.tokens-queries.first);this.attention.weights(layer,query).forEach(
(weight,token)=>r[this.onto[layer].queries[token]]=weight);for(let l=layer;l>=0;l--)r=this.back(l,r,steps[l],skipWeight);return r}back(layer,r,{
matrix,width,rows,columns,froms,sums},skipWeight){let{queries,keys}=this.layers[layer],{queries:own}=this.onto[layer],below=layer?
this.layers[layer-1].queries.grid:this.finest.grid,attended=new Float32Array(this.first+keys.tokens-keys.first+1),rest=r.slice();for(let token=0;token<
queries.tokens;token++){let value=r[own[token]];if(value===0)continue;let[given,kept2]=factorsOf(sums[token],skipWeight);if(rest[own[token]]=
value*kept2,rows[token]<0)continue;let share=value*given,from=rows[token]*width,column=froms[token];for(let j=0;j<width;j++)attended[columns[column+
j]]+=share*matrix[from+j]}let out=this.spread(attended.subarray(0,-1),keys.grid,below),kept=this.spread(rest,queries.grid,below);for(let i=0;i<
out.length;i++)out[i]+=kept[i];return out}spread(shares,[rows,cols],[fineRows,fineCols]){if(rows===fineRows&&cols===fineCols)return shares;
let[tall,wide]=[fineRows/rows,fineCols/cols],out=new Float32Array(this.first+fineRows*fineCols);out.set(shares.subarray(0,this.first));
for(let row2=0;row2<fineRows;row2++){let from=this.first+Math.floor(row2/tall)*cols,to=this.first+row2*fineCols;for(let col=0;col<
fineCols;col++)out[to+col]=shares[from+Math.floor(col/wide)]/(tall*wide)}return out}};function dots(vectors,from,rows,start2,width,out,count){let arena=arenaOf(rows);if(arena&&width%4===0)return arena.dots(vectors,from,
rows,start2,width,out,count);let j=0;for(;j+3<count;j+=4){let a=start2+j*width,b=a+width,c=b+width,d=c+width,[sumA,sumB,sumC,sumD]=[
0,0,0,0];for(let i=0;i<width;i++){let value=vectors[from+i];sumA+=value*rows[a+i],sumB+=value*rows[b+i],sumC+=value*rows[c+i],sumD+=
value*rows[d+i]}out[j]=sumA,out[j+1]=sumB,out[j+2]=sumC,out[j+3]=sumD}for(;j<count;j++){out[j]=0;for(let i=0;i<width;i++)out[j]+=vectors[from+
i]*rows[start2+j*width+i]}}function product(r,matrix){let n=r.length,out=new Float32Array(n),i=0;for(;i+3<n;i+=4){let[a,b,c,d]=[i*
n,(i+1)*n,(i+2)*n,(i+3)*n],[rA,rB,rC,rD]=[r[i],r[i+1],r[i+2],r[i+3]];for(let j=0;j<n;j++)out[j]+=rA*matrix[a+j]+rB*matrix[b+j]+rC*
matrix[c+j]+rD*matrix[d+j]}for(;i<n;i++)for(let j=0;j<n;j++)out[j]+=r[i]*matrix[i*n+j];return out}function rowSums(fused,n){return Float64Array.
from({length:n},(_,i)=>{let sum3=0;for(let j=0;j<n;j++)sum3+=fused[i*n+j];return sum3})}var KEPT3=8e6,QUICK=16e6,DECODED=8e6,Attention=class{constructor(payload,asker){this.payload=payload,this.layers=payload.layers,this.
asker=asker,this.tokens=payload.finest.tokens,this.kept=[],this.scores=new Float64Array(Math.max(...this.layers.map(({slots,keySlots})=>Math.
max(slots,keySlots)))),this.placed=new Map,this.arena=this.keeps?null:this.arenaForFactors(),this.fused={},this.joint=null,this.chain=
payload.isPlain?null:new Chain(this)}heads(layer){return this.layers[layer].heads}knows(layer,query){return typeof query!="string"||
`weights.${query}.${this.layers[layer].layout}`in this.payload.blocks}ready(layer,query,direction="from"){return direction==="from"&&
this.isNamed(layer,query)?this.payload.has(`rows.${this.nameOf(layer,query)}`):this.layers[layer].kind==="asked"?this.asker.has(layer,
query,direction):this.layers[layer].kind!=="mean"&&this.payload.hasLayer(layer)}fuse(layer,query,direction,fusion){if(this.ready(layer,
query,direction))return fuseHeads(this.maps(layer,query,direction),fusion);if(!(this.layers[layer].kind==="mean"&&typeof query!="s\
tring"&&this.payload.hasLayer(layer))||fusion!=="mean")return null;let{queries,keys}=this.layers[layer],mean=this.payload.get(`mea\
n.${layer}`);return direction==="from"?mean.subarray(query*keys.tokens,(query+1)*keys.tokens):Float32Array.from({length:queries.tokens},
(_,i)=>mean[i*keys.tokens+query])}rowOfMeanPatch(layer){if(!this.payload.has("opening")||!this.knows(layer,"mean"))return null;let from=this.
layers.slice(0,layer).reduce((sum3,{keys})=>sum3+keys.tokens,0);return this.payload.get("opening").subarray(from,from+this.layers[layer].
keys.tokens)}isNamed(layer,query){return this.payload.named.includes(this.nameOf(layer,query))&&this.knows(layer,query)}nameOf(layer,query){
return typeof query=="string"?query:this.layers[layer].queries.prefix[query]}row(layer,head,query){let one=this.layers[layer];if(this.
isNamed(layer,query)){let before=this.layers.slice(0,layer).reduce((sum3,{heads,keys})=>sum3+heads*keys.tokens,0),n=one.keys.tokens;
return this.payload.get(`rows.${this.nameOf(layer,query)}`).subarray(before+head*n,before+(head+1)*n)}return one.kind==="asked"?this.
asker.get(layer,query,"from",head,one.keys.tokens):one.windowed?this.rowOfWindows(layer,head,query):this.rowOfSlot(layer,head,query,
null)}rowOfSlot(layer,part2,slot,out){let{slots,keySlots:n,width}=this.layers[layer],at=part2*slots+slot,dense=this.dense(layer);if(dense)
return dense.subarray(at*n,(at+1)*n);if(this.layers[layer].kind==="dense")return halfToFloat(this.payload.halves(`dense.${layer}`).
subarray(at*n,(at+1)*n));out=out??new Float32Array(n);let{q,k,logsumexp}=this.factors(layer);dots(q,at*width,k,part2*n*width,width,
this.scores,n);let shift=logsumexp[at];for(let j=0;j<n;j++)out[j]=Math.exp(this.scores[j]-shift);return out}rowOfWindows(layer,head,query){
let{heads,slots,keySlots,keys}=this.layers[layer],{starts,at}=this.places(layer,"queries"),tokens=this.payload.get(`keys.${layer}`),
out=new Float32Array(keys.tokens),share=1/(starts[query+1]-starts[query]);for(let p=starts[query];p<starts[query+1];p++){let window2=Math.
floor(at[p]/slots),part2=this.rowOfSlot(layer,window2*heads+head,at[p]%slots,null);for(let j=0;j<keySlots;j++){let token=tokens[window2*
keySlots+j];token>=0&&(out[token]+=share*part2[j])}}return out}column(layer,head,token){let{kind,windowed,heads,keySlots,queries,slots}=this.
layers[layer];if(kind==="asked")return this.asker.get(layer,token,"to",head,queries.tokens);let out=new Float32Array(queries.tokens);
if(!windowed)return this.columnOfSlot(layer,head,token,out);let{starts,at}=this.places(layer,"keys"),own=this.places(layer,"querie\
s").starts,tokens=this.payload.get(`queries.${layer}`),part2=new Float32Array(slots);for(let p=starts[token];p<starts[token+1];p++){
let window2=Math.floor(at[p]/keySlots);this.columnOfSlot(layer,window2*heads+head,at[p]%keySlots,part2);for(let i=0;i<slots;i++){let query=tokens[window2*
slots+i];query>=0&&(out[query]+=part2[i]/(own[query+1]-own[query]))}}return out}columnOfSlot(layer,part2,slot,out){let{slots,keySlots,
width,kind}=this.layers[layer],dense=this.dense(layer),first=part2*slots*keySlots+slot;if(dense)for(let i=0;i<slots;i++)out[i]=dense[first+
i*keySlots];else if(kind==="dense"){let halves2=this.payload.halves(`dense.${layer}`);out.set(halfToFloat(Uint16Array.from({length:slots},
(_,i)=>halves2[first+i*keySlots])))}else{let{q,k,logsumexp}=this.factors(layer);dots(k,(part2*keySlots+slot)*width,q,part2*slots*width,
width,this.scores,slots);for(let i=0;i<slots;i++)out[i]=Math.exp(this.scores[i]-logsumexp[part2*slots+i])}return out}places(layer,side2){
let name2=`${side2}.${layer}`;if(!this.placed.has(name2)){let tokens=this.payload.get(name2),starts=new Int32Array(this.layers[layer][side2].
tokens+1);for(let token of tokens)token>=0&&(starts[token+1]+=1);for(let i=1;i<starts.length;i++)starts[i]+=starts[i-1];let next=starts.
slice(),at=new Int32Array(starts.at(-1));tokens.forEach((token,place2)=>{token>=0&&(at[next[token]++]=place2)}),this.placed.set(name2,
{starts,at})}return this.placed.get(name2)}dense(layer){if(this.kept[layer])return this.kept[layer];let{kind,windows,heads,slots,keySlots}=this.
layers[layer];return kind==="dense"&&windows*heads*slots*keySlots<=DECODED&&this.payload.has(`dense.${layer}`)?this.payload.get(`d\
ense.${layer}`):null}factors(layer){let[q,k]=["q","k"].map(name2=>this.payload.get(`${name2}.${layer}`,this.arena));return{q,k,logsumexp:this.
payload.get(`lse.${layer}`)}}arenaForFactors(){let made2=this.layers.filter(({kind})=>kind==="factors"),count=made2.reduce((sum3,{
heads,windows,slots,keySlots,width})=>sum3+heads*windows*(slots+keySlots)*width,0);return Arena.of(count,Math.max(this.scores.length,
...made2.map(({width})=>width)))}maps(layer,query,direction){let maps=[];for(let head=0;head<this.heads(layer);head++)maps.push(direction===
"to"?this.column(layer,head,query):this.row(layer,head,query));return maps}hasFused(fusion){return this.fused[fusion]?.ready===!0}get work(){
return this.layers.filter(({kind})=>kind!=="mean").reduce((sum3,{heads,windows,slots,keySlots})=>sum3+heads*windows*slots*keySlots,
0)}get isQuick(){return this.work<=QUICK}get keeps(){return this.payload.isPlain&&this.work<=KEPT3}async fuseAll(fusion,onProgress,isStale){
if(this.fused[fusion]||this.payload.isMean&&fusion!=="mean")return;let layers=this.layers.map(({kind,windows,slots,keySlots},layer)=>kind===
"mean"?this.payload.get(`mean.${layer}`):new Float32Array(windows*slots*keySlots)),fused=this.fused[fusion]={layers,sums:null,steps:null,
ready:!1},sliceStart=performance.now();for(let layer=layers.length-1;layer>=0;layer--){let{kind,heads,windows,slots,keySlots:n}=this.
layers[layer];if(kind==="mean")continue;let made2=this.keeps&&!this.dense(layer)?new Float32Array(heads*slots*n):null,scratch=Array.
from({length:made2?0:heads},()=>new Float32Array(n)),rows=Array(heads);for(let at=0;at<windows*slots;at++){let out=layers[layer].subarray(
at*n,(at+1)*n),window2=Math.floor(at/slots),slot=at%slots;for(let head=0;head<heads;head++){let place2=made2?made2.subarray((head*
n+slot)*n,(head*n+slot+1)*n):scratch[head];rows[head]=this.rowOfSlot(layer,window2*heads+head,slot,place2)}if(fuseInto(rows,fusion,
out),performance.now()-sliceStart>12){if(onProgress((layers.length-1-layer+at/(windows*slots))/layers.length),await new Promise(resume=>setTimeout(
resume)),isStale()){delete this.fused[fusion];return}sliceStart=performance.now()}}made2&&this.keep(layer,made2)}this.chain?fused.
steps=this.chain.stepsOf(layers,fusion):fused.sums=layers.map(matrix=>rowSums(matrix,this.tokens)),fused.ready=!0,onProgress(1)}keep(layer,maps){
this.kept[layer]=maps;for(let factor of["q","k"])this.payload.decoded.delete(`${factor}.${layer}`)}async joinAll(fusion,skipWeight,isStale){
if(this.chain||!this.hasFused(fusion)||this.isJoint(fusion,skipWeight))return;let joint=this.joint={fusion,skipWeight,layers:[]},n=this.
tokens,{layers,sums}=this.fused[fusion],one=new Float32Array(n),sliceStart=performance.now();for(let layer=0;layer<layers.length;layer++){
let matrix=new Float32Array(n*n);for(let token=0;token<n;token++){one.fill(0)[token]=1;let row2=this.pushBack(one,layers[layer],sums[layer],
skipWeight);if(matrix.set(layer?product(row2,joint.layers[layer-1]):row2,token*n),performance.now()-sliceStart>12){if(await new Promise(
resume=>setTimeout(resume)),isStale()||this.joint!==joint)return;sliceStart=performance.now()}}joint.layers.push(matrix)}}isJoint(fusion,skipWeight){
return this.joint?.fusion===fusion&&this.joint.skipWeight===skipWeight}rollout(layer,query,direction,fusion,skipWeight){if(!this.payload.
canRoll||!this.knows(layer,query))return null;let name2=this.nameOf(layer,query);if(!this.hasFused(fusion))return this.chain||direction!==
"from"||fusion!=="mean"||skipWeight!==.5||!this.isNamed(layer,query)||!this.payload.has(`rollout.${name2}`)?null:this.payload.get(
`rollout.${name2}`).subarray(layer*this.tokens,(layer+1)*this.tokens);if(this.chain)return this.chain.rollout(layer,query,this.fused[fusion].
steps,skipWeight);let n=this.tokens,joint=this.isJoint(fusion,skipWeight)&&this.joint.layers[layer];if(joint&&direction==="to")return Float32Array.
from({length:n},(_,i)=>joint[i*n+query]);if(joint)return typeof query=="string"?product(this.weights(layer,query),joint):joint.subarray(
query*n,(query+1)*n);let{layers,sums}=this.fused[fusion],r=this.weights(layer,query);if(direction==="from")for(let l=layer;l>=0;l--)
r=this.pushBack(r,layers[l],sums[l],skipWeight);else for(let l=0;l<=layer;l++)r=this.pushForward(r,layers[l],sums[l],skipWeight);return r}weights(layer,query){
let{queries,layout}=this.layers[layer],r=new Float32Array(queries.tokens);return typeof query!="string"?r[query]=1:r.set(this.payload.
get(`weights.${query}.${layout}`)),r}pushBack(r,fused,sums,skipWeight){let n=this.tokens,out=new Float32Array(n);for(let i=0;i<n;i++){
if(r[i]===0)continue;let[given,kept]=factorsOf(sums[i],skipWeight),share=r[i]*given;for(let j=0;j<n;j++)out[j]+=share*fused[i*n+j];
out[i]+=r[i]*kept}return out}pushForward(c,fused,sums,skipWeight){let n=this.tokens,out=new Float32Array(n);for(let i=0;i<n;i++){let sum3=0;
for(let j=0;j<n;j++)sum3+=fused[i*n+j]*c[j];let[given,kept]=factorsOf(sums[i],skipWeight);out[i]=given*sum3+kept*c[i]}return out}};var sparesData=()=>navigator.connection?.saveData===!0,FIRST2={attention:(shown,others)=>[shown,"named",...others,"cross"],rollout:(shown,others)=>[
"named",shown,...others,"cross"]};function inOrder2({layers},{layer,method,crossBlock}){let away=[...layers.keys()].sort((a,b)=>Math.
abs(a-layer)-Math.abs(b-layer)||b-a).map(nameOfLayer),[shown,...others]=away;return crossBlock!==null?["cross",shown,"named",...others]:
FIRST2[method](shown,others)}function atRest(payload,view){return[...inOrder2(payload,view).slice(0,2),...spared(payload,view)]}function spared(payload,view){
let{layer,method,query,crossBlock,knows,map}=view;return map.values||!knows?[]:crossBlock!==null?["cross"]:payload.named.includes(
typeof query=="string"?query:payload.layers[layer].queries.prefix[query])&&!payload.pieces.hasPiece("named")?["named"]:THROUGH_LAYERS[method]?
inOrder2(payload,view):[nameOfLayer(layer)]}var HTML=`
  <div class="viz-refusal" role="alert"></div>
  <div class="viz-columns">
    <section class="viz-stage" data-place="stage" tabindex="0" role="application" aria-label="$stage_label"></section>
    <div class="viz-side">
      <div class="viz-told" data-place="told"></div>
      <div class="viz-place" data-place="top"></div>
      <section class="viz-explore" data-place="explore"></section>
      <div class="viz-deep" data-place="maps"></div>
      <div class="viz-found" data-place="found"></div>
      <div class="viz-doors" data-place="doors"></div>
      <div class="viz-foot">
        <details class="viz-more viz-look-more">
          <summary title="$look_help">$look_open</summary>
          <div class="viz-more-panel">
            <div class="viz-row" data-place="show"></div>
            <div class="viz-place" data-place="look"></div>
          </div>
        </details>
        <details class="viz-more viz-keys-more">
          <summary title="$keys_open" aria-label="$keys_open">?</summary>
          <div class="viz-more-panel">
            <div class="viz-keys"></div><p class="viz-keys-when">$keys_help</p><p class="viz-touch">$touch_help</p>
          </div>
        </details>
      </div>
    </div>
  </div>
  <div class="viz-below" data-place="below"></div>
`,ARROWS2={ArrowLeft:"←",ArrowUp:"↑",ArrowRight:"→",ArrowDown:"↓"};function frame(root,words){root.replaceChildren(words.fill(
HTML));for(let box2 of root.querySelectorAll(".viz-foot details"))closing(box2);return Object.fromEntries([...root.querySelectorAll(
"[data-place]")].map(place2=>[place2.dataset.place,place2]))}function legend(line,panels2,table){let order=Object.keys(table.table),
place2=word=>table.has(word)?order.indexOf(word):order.length,entries=new Map;for(let{keys,words}of panels2)for(let[key,word]of Object.
entries(keys)){if(!word)continue;entries.has(word)||entries.set(word,{said:words.say(word),keys:[]});let{keys:known}=entries.get(word);
known.includes(key)||known.push(key)}let sorted2=[...entries].sort(([a],[b])=>place2(a)-place2(b)).map(([,entry])=>entry);line.replaceChildren(
table.say("keys"),...sorted2.flatMap(entry=>[" ",entryOf(entry,table)]))}function entryOf({said,keys},words){let arrows=keys.filter(
key=>key in ARROWS2).map(key=>ARROWS2[key]),others=keys.filter(key=>!(key in ARROWS2)).map(key=>nameOf2(key,words)),caps=[...arrows.
length?[arrows.join("")]:[],...others].map(textContent=>Object.assign(document.createElement("kbd"),{textContent})),entry=document.
createElement("span");return entry.append(...caps.flatMap(cap=>[cap," "]),said),entry}function nameOf2(key,words){return key==="Es\
cape"?words.say("key_escape"):key===" "?words.say("key_space"):key}function pending({root,waiting,slices,asking,working,attention}){let all={"the maps of another choice":root.dataset.waiting==="tru\
e","pieces of the payload":working>0,"a paint":waiting||slices.isWaiting,"answers to questions":asking>0,"rows of the maps":attention?.
asker.isBusy,"what waits for the hand to rest":isAnyRunning(),"what moves":root.getAnimations({subtree:!0}).some(isPassing)};return Object.
keys(all).filter(one=>all[one])}async function idle(viewer){let placeOf=()=>Object.values(viewer.root.getBoundingClientRect().toJSON()).
join(),before="";for(let frames=0;frames<2;){await new Promise(requestAnimationFrame);let place2=placeOf();frames=pending(viewer).
length||place2!==before?0:frames+1,before=place2}}var isPassing=({playState,effect})=>playState==="running"&&effect?.getComputedTiming().
endTime!==1/0;var OWN="input, select, textarea, [role=dialog], [aria-expanded=true], details[open], .drawer";function listen(viewer){let{root}=viewer;
root.addEventListener("keydown",event=>viewer.payload&&press(viewer,event)),root.ownerDocument.addEventListener("keydown",event=>{
let{target}=event;(target===root.ownerDocument.body||event.key==="Escape"&&!root.contains(target)&&!target.closest(OWN))&&!event.defaultPrevented&&
viewer.payload&&hears(root,event.key)&&press(viewer,event)})}function hears(root,key){return root.getClientRects().length>0&&root.
ownerDocument.querySelectorAll(".viz").length===1&&(key==="Escape"||key==="p"||root.classList.contains("viz-presented"))}function openKeys(root,event){
let box2=root.querySelector(".viz-keys-more");box2.getClientRects().length&&(box2.open=!0,box2.firstElementChild.focus(),event.preventDefault())}
function press(viewer,event){viewer.use();let typed="[]".includes(event.key)&&event.altKey;if(event.target.matches("input, select")||
event.metaKey||(event.ctrlKey||event.altKey)&&!typed)return;if(event.key==="?")return openKeys(viewer.root,event);let mine=viewer.
panels.filter(({keys})=>Object.hasOwn(keys,event.key));!mine.length||[" ","Enter"].includes(event.key)&&event.target.matches("butt\
on, summary, a, [role=button]")||mine.find(({mounted})=>mounted.press(event.key)!==!1)&&event.preventDefault()}var Slices=class{constructor(steps){this.steps=steps,this.timer=0,this.next=null,this.begun=null}draw(view){this.next=view,this.timer||=
Number(setTimeout(()=>this.go()))}stop(){clearTimeout(this.timer),this.timer=0,this.next=this.begun=null}get isWaiting(){return this.
timer>0}go(){this.timer=0;let until=performance.now()+4;do{if(!this.begun){if(!this.next)return;this.begun=this.steps(this.next),this.
next=null}this.begun.next().done&&(this.begun=null)}while(performance.now()<until);this.timer=Number(setTimeout(()=>this.go()))}};function outlineOf(mask,[height,width]){let path=new Path2D,top=null,wide=width+2,field=blurred(mask,height,width),cross=(a,b)=>(.5-
a)/(b-a);for(let y=-1;y<height;y++)for(let x=-1;x<width;x++){let at=(y+1)*wide+x+1,[a,b,c,d]=[field[at],field[at+1],field[at+wide+
1],field[at+wide]];if(a>.5==b>.5&&b>.5==c>.5&&c>.5==d>.5)continue;let ends2=[];a>.5!=b>.5&&ends2.push([x+cross(a,b),y]),b>.5!=c>.5&&
ends2.push([x+1,y+cross(b,c)]),d>.5!=c>.5&&ends2.push([x+cross(d,c),y+1]),a>.5!=d>.5&&ends2.push([x,y+cross(a,d)]);for(let i=0;i+1<
ends2.length;i+=2)path.moveTo(ends2[i][0]+.5,ends2[i][1]+.5),path.lineTo(ends2[i+1][0]+.5,ends2[i+1][1]+.5),top=top??[ends2[i][0]+
.5,ends2[i][1]+.5]}return{path,top}}function blurred(mask,height,width){let wide=width+2,field=new Float32Array((height+2)*wide),share=1/
3**2;for(let y=0;y<height;y++)for(let x=0;x<width;x++)if(mask[y*width+x])for(let v=Math.max(0,y-1);v<=Math.min(height-1,y+1);v++)for(let u=Math.
max(0,x-1);u<=Math.min(width-1,x+1);u++)field[(v+1)*wide+u+1]+=share;return field}var Truth=class{constructor(payload){this.size=payload.input,this.grid=payload.grid,this.window=payload.window,this.things=payload.
truth.map((thing,i)=>({...thing,mask:bits(payload.get(`truth.${i}`),payload.input)})),this.shapes=null,this.known=null}of(shapes){
if(this.known&&this.shapes===shapes)return this.known;let things=shapes.length?[{name:"",object:!0,mask:this.drawnMask(shapes)}]:this.
things,whole2=new Uint8Array(this.size[0]*this.size[1]);for(let{object,mask}of things)if(object)for(let i=0;i<whole2.length;i++)whole2[i]|=
mask[i];let parts=things.map(({name:name2,object,mask})=>({name:name2,object,on:this.targets(mask),...outlineOf(mask,this.size)}));
return this.shapes=shapes,this.known=new Known(shapes.length>0,parts,this.targets(whole2),this.grid),this.known}targets(mask){let made2=new Map;
return grid=>(made2.has(String(grid))||made2.set(String(grid),new Target(mask,this.size,grid)),made2.get(String(grid)))}drawnMask(shapes){
let[height,width]=this.size,context=new OffscreenCanvas(width,height).getContext("2d",{willReadFrequently:!0}),[left,top,right,bottom]=this.
window;context.scale(width/(right-left),height/(bottom-top)),context.translate(-left,-top);for(let{box:box2,stroke,erase,radius}of shapes)
if(context.globalCompositeOperation=erase?"destination-out":"source-over",box2){let[x,y]=[Math.min(box2[0],box2[2]),Math.min(box2[1],
box2[3])];context.fillRect(x,y,Math.abs(box2[2]-box2[0]),Math.abs(box2[3]-box2[1]))}else paintStroke(context,stroke??erase,radius);
let{data}=context.getImageData(0,0,width,height),mask=new Uint8Array(height*width);for(let i=0;i<mask.length;i++)mask[i]=+(data[4*
i+3]>127);return mask}},Known=class{constructor(isDrawn,parts,whole2,grid){this.isDrawn=isDrawn,this.parts=parts,this.whole=whole2,
this.target=this.targetOn(grid)}targetOn(grid){let target=this.whole(grid);return target.isUsable?target:null}};function paintStroke(context,points,[
wide,high]){context.save(),context.scale(wide,high),context.lineWidth=2,context.lineCap=context.lineJoin="round",context.beginPath(),
context.moveTo(points[0][0]/wide-.001,points[0][1]/high);for(let[x,y]of points)context.lineTo(x/wide,y/high);context.stroke(),context.
restore()}function bits(packed,[height,width]){return Uint8Array.from({length:height*width},(_,i)=>packed[i>>3]>>7-(i&7)&1)}var Cross=class{constructor(payload){this.payload=payload,this.made={block:-1,query:-1,maps:[]}}maps(block,query){if(!this.payload.
hasCross(block))return null;if(this.made.block===block&&this.made.query===query)return this.made.maps;let maps=Array.from({length:this.
payload.cross[block].heads},(_,head)=>this.row(block,head,query));return this.made={block,query,maps},maps}row(block,head,query){let{
kind,queries,keys,width}=this.payload.cross[block],n=keys.tokens,at=head*queries.length+query,part2=name2=>this.payload.get(`cross\
.${name2}.${block}`);if(kind==="dense")return part2("dense").subarray(at*n,(at+1)*n);let scores=new Float64Array(n);dots(part2("q"),
at*width,part2("k"),head*n*width,width,scores,n);let shift=part2("lse")[at];return Float32Array.from(scores,score=>Math.exp(score-
shift))}};function divergence(shares,others,counts){let p=sharesOf2(shares,counts),q=sharesOf2(others??counts,counts);if(!p.whole||!q.whole)
return 0;let sum3=0;for(let i=0;i<counts.length;i++){let own=p.of(i);own>0&&(sum3+=own*Math.log(own/Math.max(1e-7,q.of(i))))}return sum3}
function sharesOf2(values,counts){let of=i=>counts[i]?Math.max(0,values[i]):0,whole2=0;for(let i=0;i<counts.length;i++)whole2+=of(
i);return{whole:whole2,of:i=>of(i)/whole2}}function mostTelling(found,layers){let last=layers.length-1,best=last;for(let layer=last;layer>=
0;layer--)found[layer]===null||layers[layer].like!==layers[last].like||(found[best]===null||found[layer]>found[best])&&(best=layer);
return best}var Queries=class{constructor(payload){this.payload=payload,this.layers=payload.layers}toInput([x,y]){let[left,top,right,bottom]=this.
payload.window;return[(x-left)/(right-left),(y-top)/(bottom-top)]}toPicture([x,y]){let[left,top,right,bottom]=this.payload.window;
return[left+x*(right-left),top+y*(bottom-top)]}chosen({place:place2,token}){return place2?{spot:this.toInput(place2)}:{name:token!==
null&&this.has(token)?token:this.payload.readout}}has(name2){return this.payload.named.includes(name2)||this.payload.layouts.some(
({prefix:prefix2})=>prefix2.includes(name2))}cellAt(layout,place2){let spot=this.toInput(place2);return spot.every(share=>share>=0&&
share<1)?layout.cellAt(spot):null}nearest(layout,place2){let[row2,col]=layout.cellAt(this.toInput(place2));return this.toPicture(layout.
centreOf([row2,col]))}in(layer,{spot,name:name2}){let{queries}=this.layers[layer];if(spot)return queries.tokenOf(queries.cellAt(spot));
let at=queries.prefix.indexOf(name2);return at>=0?at:name2}asked(layer,query){let{queries}=this.layers[layer],cell=queries.cellOf(
query);return cell?{spot:queries.centreOf(cell)}:{name:typeof query=="string"?query:queries.prefix[query]}}hasColumns(layer,method){
let{queries,keys}=this.layers[layer];return THROUGH_LAYERS[method]?this.payload.isPlain:queries===keys}direction(query,{layer,method,
direction}){return typeof query=="string"||!this.hasColumns(layer,method)?"from":direction}};var Reach=class{constructor(payload,attention){this.payload=payload,this.attention=attention,this.counts=new Map}of(layer,query,direction,isMasked=!0){
let one=this.payload.layers[layer];if(one.mask===void 0&&!one.windowed||one.windowed&&one.kind==="asked")return null;let seen=new Uint8Array(
direction==="to"?one.queries.tokens:one.keys.tokens);if(one.windowed&&!["queries","keys"].every(side2=>this.payload.has(`${side2}.${layer}`)))
return null;for(let token of this.tokensOf(layer,query))if(one.windowed)this.inWindows(layer,token,direction,seen,isMasked);else for(let i=0;i<
seen.length;i++)this.hides(one,...pair2(direction,token,i))||(seen[i]=1);return seen.includes(0)?seen:null}hiddenBy(reach,layer,query,token,direction){
return!reach||reach[token]?"":this.payload.layers[layer].windowed&&(!this.isKnown(layer,query)||this.of(layer,query,direction,!1)?.[token]===
0)?"window":"mask"}ofCross(block,query){let{mask,queries,keys}=this.payload.cross[block];if(mask===void 0)return null;let one={mask,
slots:queries.length,keySlots:keys.tokens},seen=Uint8Array.from({length:keys.tokens},(_,key)=>+!this.hides(one,query,key));return seen.
includes(0)?seen:null}count(layer,query){let{mask,keys,keySlots,windowed}=this.payload.layers[layer];if(mask===void 0&&!windowed)return keys.
tokens;if(!this.isKnown(layer,query))return windowed&&typeof query!="string"?Math.min(keySlots,keys.tokens):keys.tokens;this.counts.
has(layer)||this.counts.set(layer,new Map);let counts=this.counts.get(layer);return counts.has(query)||counts.set(query,this.of(layer,
query,"from")?.reduce((sum3,one)=>sum3+one,0)??keys.tokens),counts.get(query)}even(kind,layer,query,reach,layout,token){return kind===
"to"?token===void 0?this.countTo(layer,query):this.count(layer,token):kind!=="from"?layout.tokens:reach&&typeof query!="string"?reach.
reduce((sum3,one)=>sum3+one,0):this.count(layer,query)}countTo(layer,key){let{mask,keys,queries,windowed}=this.payload.layers[layer];
if(mask===void 0&&!windowed)return keys.tokens;let seen=this.of(layer,key,"to"),counts=new Set;for(let token=0;token<queries.tokens;token++)
(!seen||seen[token])&&counts.add(this.count(layer,token));return counts.size===1?[...counts][0]:null}isKnown(layer,query){let{windowed,
kind}=this.payload.layers[layer];return typeof query=="string"&&!this.payload.has(this.weightsOf(layer,query))?!1:!windowed||kind!==
"asked"&&["queries","keys"].every(side2=>this.payload.has(`${side2}.${layer}`))}hides({mask,keySlots},slot,key){if(mask===void 0)return!1;
if(this.payload.masks[mask]==="causal")return key>slot;let name2=`mask.at.${mask}`,row2=name2 in this.payload.blocks?this.payload.
get(name2)[slot]:0;return(this.payload.get(`mask.${mask}`)[row2*Math.ceil(keySlots/8)+(key>>3)]>>7-(key&7)&1)===1}inWindows(layer,token,direction,seen,isMasked){
let one=this.payload.layers[layer],[own,other]=direction==="to"?["keys","queries"]:["queries","keys"],[here,there]=direction==="to"?
[one.keySlots,one.slots]:[one.slots,one.keySlots],{starts,at}=this.attention.places(layer,own),tokens=this.payload.get(`${other}.${layer}`);
for(let p=starts[token];p<starts[token+1];p++){let window2=Math.floor(at[p]/here);for(let i=0;i<there;i++){let[slot,key]=pair2(direction,
at[p]%here,i),found=tokens[window2*there+i];found>=0&&!(isMasked&&this.hides(one,window2*one.slots+slot,key))&&(seen[found]=1)}}}tokensOf(layer,query){
if(typeof query!="string")return[query];let name2=this.weightsOf(layer,query);return this.payload.has(name2)?[...this.payload.get(
name2).keys()].filter(token=>this.payload.get(name2)[token]>0):[]}weightsOf(layer,query){return`weights.${query}.${this.payload.layers[layer].
layout}`}},pair2=(direction,asked,other)=>direction==="to"?[other,asked]:[asked,other];var SLOW=8,REST5=150,Rest=class{constructor(again){this.again=again,this.cost=0,this.timer=0,this.isResting=!1}stop(){callOff(this.
timer)}waits(){return this.stop(),this.cost<=SLOW||this.isResting?!1:(this.timer=later(()=>{this.isResting=!0,this.again(),this.isResting=
!1},REST5),!0)}time(work){let started=performance.now(),result=work();return this.cost+=.3*(performance.now()-started-this.cost),result}};var Scores=class{constructor(payload,again){this.grid=payload.grid,this.priors=new Map,this.rest=new Rest(again),this.metric=""}of(cells,truth,metric,heads){
if(!Object.hasOwn(METRICS,metric))throw new TypeError(`There is no metric '${metric}'.`);let score=METRICS[metric];return this.metric!==
metric&&(this.rest.cost=0),this.metric=metric,this.rest.stop(),!truth.target||this.rest.waits()?null:this.rest.time(()=>{let of=({
values,layout})=>score(values.subarray(layout.first),truth.targetOn(layout.grid)),table=cells.map(row2=>row2.map(cell=>cell?of(cell):
null)),best=bestOf(table,heads),priorOn=grid2=>score(this.prior(grid2),truth.targetOn(grid2)),evenOn=grid2=>score(new Float32Array(
grid2[0]*grid2[1]).fill(1),truth.targetOn(grid2)),top=best&&table[best.row][best.column],grid=best&&cells[best.row][best.column].layout.
grid,isChance=best!==null&&top<=Math.max(priorOn(grid),evenOn(grid));return{table,best,isBest:(row2,column)=>!isChance&&column<heads&&
table[row2][column]===top,isChance,priorOn,evenOn}})}prior(grid){return this.priors.has(String(grid))||this.priors.set(String(grid),
centrePrior(grid)),this.priors.get(String(grid))}};function bestOf(table,heads){let best=null;return table.forEach((row2,r)=>{row2.
slice(0,heads).forEach((value,column)=>{value!==null&&(!best||value>table[best.row][best.column])&&(best={row:r,column})})}),best}var FEW2=.5,sumOf=values=>values.reduce((a,b)=>a+b,0),Selectors=class{constructor(payload,attention,again,opens=null){this.payload=
payload,this.attention=attention,this.queries=new Queries(payload),this.cross=new Cross(payload),this.reaches=new Reach(payload,attention),
this.truth=new Truth(payload),this.scores=new Scores(payload,again),this.rolling=new Rest(again),this.heads=Math.max(...payload.layers.
map(layer=>layer.heads)),this.columns=[...Array(this.heads).keys(),"mean",...payload.canRoll?["rollout"]:[]],this.sinkMasks=new Map,
this.opens=opens??this.opening()}stop(){this.rolling.stop(),this.scores.rest.stop()}choice(state){let{layers,canRoll,cross}=this.payload,
layer=Math.min(state.layer??this.opens.layer,layers.length-1),head=Math.min(state.head,layers[layer].heads-1),crossBlock=state.crossBlock===
null||!cross.length?null:Math.min(state.crossBlock,cross.length-1),crossQuery=crossBlock===null?state.crossQuery:Math.min(state.crossQuery,
cross[crossBlock].queries.length-1),method=canRoll&&crossBlock===null?state.method:"attention";return{...state,layer,head,method,crossBlock,
crossQuery}}fitted(state){let{payload}=this,choice=this.choice(state),{queries}=payload.layers[choice.layer],isOutside=place2=>place2&&
!this.queries.cellAt(queries,place2),film=payload.film&&new Film(payload.film),shown={layer:state.layer===null?null:choice.layer,head:choice.
fusion==="one"?choice.head:Math.min(state.head,this.heads-1),method:payload.canRoll?state.method:"attention",crossBlock:choice.crossBlock,
crossQuery:choice.crossQuery,token:state.token!==null&&this.queries.has(state.token)?state.token:null,direction:this.queries.hasColumns(
choice.layer,choice.method)?state.direction:"from",place:isOutside(state.place)?this.queries.nearest(queries,state.place):state.place,
number:isOutside(state.number)?null:state.number,question:state.question&&!!payload.lesson,moment:film&&Number.isInteger(state.moment)?
film.steps[film.nearest(state.moment)]:null,...Object.fromEntries(Object.keys(OPENS).map(key=>[key,state[key]&&OPENS[key]===depthOf(
state)]))};return Object.fromEntries(Object.entries(shown).filter(([key,value])=>key in state&&value!==state[key]))}hovered(choice){
if(!choice.hover)return null;if(choice.crossBlock!==null)return this.queries.cellAt(this.payload.cross[choice.crossBlock].keys,choice.
hover);let{queries}=this.payload.layers[choice.layer];return choice.pinned?this.queries.cellAt(this.layoutOf(this.queries.in(choice.
layer,this.queries.chosen(choice)),choice),choice.hover):this.queries.cellAt(queries,choice.hover)}layoutOf(query,choice){let{queries,
keys}=this.payload.layers[choice.layer];return THROUGH_LAYERS[choice.method]?this.payload.finest:this.queries.direction(query,choice)===
"to"?queries:keys}values(query,choice){let{attention}=this,{layer,head,fusion,method,skipWeight}=choice,direction=this.queries.direction(
query,choice);return method==="rollout"?attention.rollout(layer,query,direction,fusedAs(choice),skipWeight):attention.knows(layer,
query)?fusion!=="one"?attention.fuse(layer,query,direction,fusion):attention.ready(layer,query,direction)?direction==="to"?attention.
column(layer,head,query):attention.row(layer,head,query):null:null}opening(){let{payload,attention}=this,isEven=payload.readout===
"mean",rows=payload.layers.map((_,layer2)=>{let query=this.queries.in(layer2,{name:payload.readout});return!attention.knows(layer2,
query)||!attention.ready(layer2,query)?null:fuseHeads(attention.maps(layer2,query,"from"),"mean")}),nats=rows.map((row2,layer2)=>row2&&
divergence(row2,attention.rowOfMeanPatch(layer2),payload.layers[layer2].keys.onPicture)),mark=this.truth.things.find(({object})=>!object),
on=mark&&this.truth.targets(mark.mask),onMark=on&&rows.map((row2,layer2)=>row2&&shareOn(row2,payload.layers[layer2].keys,on)),layer=mostTelling(
onMark??nats,payload.layers);return{layer,nats:nats[layer]??0,isEven,mark:mark?.name??""}}view(state){let{payload}=this,choice=this.
choice(state),{layer,method,pinned}=choice,here=payload.layers[layer],hovered=this.hovered(choice),chosen=this.queries.in(layer,this.
queries.chosen(choice)),isHovered=!pinned&&hovered&&choice.crossBlock===null,query=isHovered?here.queries.tokenOf(hovered):chosen,
asked=isHovered?this.queries.asked(layer,query):this.queries.chosen(choice),layout=this.layoutOf(query,choice),sinksFound=payload.
sinks??state.sinksFound[payload.run]??null,sinks=state.sinks&&sinksFound||[],cells=this.cells(asked,query,choice,sinks),isOne=!THROUGH_LAYERS[method]&&
choice.fusion==="one",column=method==="rollout"?this.heads+1:isOne?choice.head:this.heads,cell=cells[layer][column],reach=cell?.reach??
null,direction=this.queries.direction(query,choice),kind=method==="attention"?direction:direction==="to"?"rollout_to":"rollout",known=this.
truth.of(state.shapes),now=sinks.filter(([,,,first,last])=>first<=layer&&(THROUGH_LAYERS[method]||layer<=last)),view={...choice,payload,
depth:depthOf(state),heads:this.heads,columns:this.columns,column,here,query,chosen,cell:here.queries.cellOf(query),hovered,handCell:state.
hand&&this.queries.cellAt(payload.finest,state.hand.at),asksNumber:choice.number&&this.queries.cellAt(layout,choice.number),direction,
kind,hasColumns:this.queries.hasColumns(layer,method),isKnown:name2=>this.attention.knows(layer,this.queries.in(layer,{name:name2})),
knows:this.attention.knows(layer,query),isLost:this.attention.asker.isLost,cells,selected:{row:layer,column},isOne,pointed:this.peeked(
state.peek,cells),map:{values:cell?cell.values:null,layout,high:cell?cell.high:1},reach,hiddenBy:token=>this.reaches.hiddenBy(reach,
layer,query,token,direction),even:this.reaches.even(kind,layer,query,reach,layout),evenOf:token=>this.reaches.even(kind,layer,query,
reach,layout,token),isMean:!isOfHeads(choice),rollsLater:payload.canRoll&&method!=="rollout"&&isOfHeads(choice)&&!this.attention.isQuick,
opens:this.opens,sinksFound,sinksHere:sinksOn(layout,payload,sinks),sinksNow:sinksOn(layout,payload,now),truth:known,scores:this.scores.
of(cells,known,state.metric,this.heads),measured:({row:row2,column:column2})=>this.measured(cells[row2][column2],row2,asked,direction,
sinksFound),placeOf:cell2=>this.queries.toPicture(here.queries.centreOf(cell2)),cellAt:place2=>place2&&this.queries.cellAt(here.queries,
place2),patchAt:place2=>this.queries.cellAt(payload.layers[payload.layers.length-1].queries,place2),placeOfPatch:cell2=>this.queries.
toPicture(payload.layers[payload.layers.length-1].queries.centreOf(cell2)),tokenIn:name2=>this.queries.in(layer,{name:name2}),crossed:null},
shown=choice.crossBlock===null?view:{...view,...this.crossed(choice,state,sinks)};return{...shown,...tellingOf(shown)}}crossed({crossBlock,
crossQuery,fusion,scale,fixed},state,sinks){let block=this.payload.cross[crossBlock],{keys}=block,head=Math.min(state.head,block.heads-
1),mapsOf=one=>this.cross.maps(one,crossQuery),shown=maps2=>fusion==="one"?[maps2[head]]:[fuseHeads(maps2,fusion)],compared=maps2=>fusion===
"one"?maps2:shown(maps2),alike=({queries,keys:others})=>String(others.grid)===String(keys.grid)&&queries.length===block.queries.length,
maps=mapsOf(crossBlock),values=maps&&shown(maps)[0],high=fixed;if(maps&&scale!=="fixed"){let blocks=[...this.payload.cross.keys()].
filter(one=>alike(this.payload.cross[one])),among={map:()=>[values],layer:()=>compared(maps),all:()=>blocks.map(mapsOf).filter(Boolean).
flatMap(compared)}[scale]();high=Math.max(...among.map(one=>largest2(one,this.counts(keys,state.sinksApart?sinks:[]))))||1e-12}let reach=this.
reaches.ofCross(crossBlock,crossQuery),cellOf2=one=>({values:one,layout:keys,reach,high:scale==="map"?largest2(one,keys.onPicture)||
1e-12:high}),cells=maps?[fuseHeads(maps,fusedAs({fusion})),...maps].map(cellOf2):Array(block.heads+1).fill(null);return{crossed:{head,
cells},here:{...this.payload.layers[0],...block,queries:keys,windowed:!1},head,query:block.queries[crossQuery],cell:null,pinned:!1,
direction:"from",kind:"from",hasColumns:!1,knows:!0,selected:null,map:{values,layout:keys,high:maps?high:1},reach,hiddenBy:token=>reach&&
!reach[token]?"mask":"",even:reach?sumOf(reach):keys.tokens,evenOf:()=>reach?sumOf(reach):keys.tokens,sinksHere:sinksOn(keys,this.
payload,sinks),sinksNow:[],placeOf:cell=>this.queries.toPicture(keys.centreOf(cell)),cellAt:place2=>place2&&this.queries.cellAt(keys,
place2)}}peeked(peek,cells){return peek&&cells[peek[0]]&&peek[1]<this.columns.length?{row:peek[0],column:peek[1]}:null}measured(cell,row2,asked,direction,sinks){
if(!cell||direction==="to")return null;let{grid}=this.payload.layers[row2].queries;return measures(cell.values,cell.layout,{cell:this.
payload.layers[row2].queries.cellOf(this.queries.in(row2,asked)),grid,input:this.payload.input,sinks:sinksOn(cell.layout,this.payload,
sinks??[])})}cells(asked,query,choice,sinks){let{payload,attention}=this,direction=this.queries.direction(query,choice),fusion=fusedAs(
choice),rolled=payload.canRoll?this.rolledCells(asked,direction,fusion,choice):[],rowOf3=({kind,queries,keys},layer)=>{let own=this.
queries.in(layer,asked),isThere=attention.knows(layer,own)&&(direction==="from"||queries===keys),ready=isThere&&attention.ready(layer,
own,direction),nothing=isThere&&kind!=="mean"?null:void 0,maps=ready?attention.maps(layer,own,direction):Array(attention.heads(layer)).
fill(nothing),fused=isThere?attention.fuse(layer,own,direction,fusion):null,layout=direction==="to"?queries:keys,reach=isThere?this.
reach(layer,own,direction,maps):null,row2=maps.map(values=>values&&{values,layout,high:0,reach});for(;row2.length<this.heads;)row2.
push(void 0);row2.push(fused?{values:fused,layout,high:0,reach}:nothing),payload.canRoll&&row2.push(rolled[layer]);let leftOut=choice.
sinksApart?sinks:[];for(let cell of row2)cell&&(cell.high=largest2(cell.values,this.counts(cell.layout,leftOut))||1e-12);return row2},
cells=onDemand(payload.layers.map((layer,i)=>()=>rowOf3(layer,i)));return this.shareScale(cells,choice),cells}rolledCells(asked,direction,fusion,{
method,layer:shown,skipWeight}){let{payload,attention}=this;if(payload.isMean&&fusion!=="mean")return payload.layers.map(()=>{});let waits=this.
rolling.waits(),roll=()=>payload.layers.map((_,layer)=>{let own=this.queries.in(layer,asked);if(!attention.knows(layer,own))return;
if(waits&&!(method==="rollout"&&layer===shown))return null;let values=attention.rollout(layer,own,direction,fusion,skipWeight);return values&&
{values,layout:payload.finest,high:0}});return waits||payload.isPlain?roll():this.rolling.time(roll)}shareScale(cells,{scale,fixed}){
if(scale==="map")return;let{heads}=this,{layers}=this.payload,rowsLike=one=>[...layers.keys()].filter(row2=>layers[row2].like===one),
alike=[...new Set(layers.map(({like})=>like))].map(rowsLike),kinds=[row2=>row2.slice(0,heads),row2=>[row2[heads]],row2=>[row2[heads+
1]]];for(let kind of kinds){let groups=scale==="layer"?cells.map(kind):alike.map(rows=>rows.flatMap(row2=>kind(cells[row2])));for(let group of groups){
let present=group.filter(Boolean),high=scale==="fixed"?fixed:Math.max(...present.map(cell=>cell.high));for(let cell of present)cell.
high=high}}}reach(layer,query,direction,maps){let{windowed,kind,queries}=this.payload.layers[layer];if(!windowed||kind!=="asked")return this.
reaches.of(layer,query,direction);let here=maps.filter(Boolean);return!queries.cellOf(query)||!here.length?null:Uint8Array.from(here[0],
(_,token)=>Number(here.some(values=>values[token]!==0)))}counts(layout,sinks){if(!sinks.length)return layout.onPicture;if(this.sinkMasks.
get("of")!==sinks&&(this.sinkMasks=new Map([["of",sinks]])),!this.sinkMasks.has(layout)){let mask=layout.onPicture.slice();for(let cell of sinksOn(
layout,this.payload,sinks))mask[layout.tokenOf(cell)]=0;this.sinkMasks.set(layout,mask)}return this.sinkMasks.get(layout)}};function shareOn(row2,{
first,grid},on){let{cover}=on(grid);return cover.reduce((sum3,share,i)=>sum3+share*row2[first+i],0)}function tellingOf({kind,method,
fusion,map}){let isFused=!THROUGH_LAYERS[method]&&isOfHeads({fusion}),isWhole=!kind.endsWith("to")&&!isFused,onPatches=map.values?
sumOf(map.values.subarray(map.layout.first)):1,isFew=kind==="from"&&isWhole&&onPatches<FEW2,phrase=isFused?`${kind}_${fusion}`:isFew?
"from_few":kind;return{isWhole,onPatches,phrase}}function onDemand(makers){let all=[];return makers.forEach((make,i)=>{let keep=value=>Object.
defineProperty(all,i,{value,enumerable:!0})[i];Object.defineProperty(all,i,{get:()=>keep(make()),enumerable:!0,configurable:!0})}),
all}function sinksOn(layout,payload,sinks){return layout.grid.join()===payload.finest.grid.join()?sinks.map(([row2,col])=>[row2,col]):
[]}var FOLDED=["maps","show","look"],LATER=["top","explore","found","doors","show","look"];function choosePanels(root,places,panels2,view){
let before=root.dataset.depth;put(root,{"data-depth":view.depth,"data-reading":view.isReading,"data-guessing":view.guess!==null,"d\
ata-coloured":view.teach&&view.labelled});let held=document.activeElement?.closest(".viz-panel");for(let{name:name2,box:box2,place:place2,
shows}of panels2){let[isLit,isNeeded]=[view.lights.includes(name2),view.needs.includes(name2)],speaks=shows?.(isNeeded?{...view,isReading:!1}:
view)!==!1,isLeftOut=view.isReading&&!isNeeded&&LATER.includes(place2);stand(box2,places[isLit&&FOLDED.includes(place2)?"explore":
place2],panels2),put(box2,{hidden:!isLit&&(!speaks||isLeftOut)}),box2.classList.toggle("viz-lit",isLit)}for(let place2 of Object.values(
places))put(place2,{hidden:[...place2.children].every(box2=>box2.hidden)});before&&before!==view.depth&&(travel(root.querySelector(
".viz-side"),before==="picture"),root.querySelector(".viz-back").scrollIntoView({block:"nearest"})),panels2.some(({box:box2})=>box2===
held&&box2.hidden)&&root.querySelector(".viz-stage").focus({preventScroll:!0})}function stand(box2,place2,panels2){if(box2.parentElement===
place2)return;let boxes=panels2.map(panel=>panel.box),next=[...place2.children].find(one=>boxes.indexOf(one)>boxes.indexOf(box2));
place2.insertBefore(box2,next??null)}var INSTEAD={layer:"instead_layer",head:"instead_head",method:"instead_method",token:"instead_token",step:"instead_step",chapter:"\
instead_chapter",fit:"instead_fit",model:"instead_model",tab:"instead_tab"},NEAREST={place:"nearest_place",moment:"nearest_moment"},
nameOf3=key=>key.replace(/\W/g,"·").slice(0,20)||"·";function strangeSaid(words,unread,fitted,shown){let keys=[...new Set([...unread,
...Object.keys(fitted)])];if(!keys.length)return"";let each=keys.slice(0,4).map(key=>{let instead=(fitted[key]??null)!==null&&Object.
hasOwn(NEAREST,key)?NEAREST[key]:Object.hasOwn(INSTEAD,key)?INSTEAD[key]:"left_out",values={layer:shown.layer+1,head:shown.head+1};
return words.say("strange_key",{key:nameOf3(key),instead:words.say(instead,values)})});return keys.length>4&&each.push(words.say("\
strange_more",{n:keys.length-4})),words.say("strange",{what:words.list(each)})}var byFinger=globalThis.matchMedia?.("(pointer: coarse)"),Words=class{constructor(table,own={}){this.table={...own,...table}}has(key){
return Object.hasOwn(this.table,key)}say(key,values={}){return joined3(this.sentence(key).replace(/\{(\w+)\}/g,(_,name2)=>String(values[name2])))}sentence(key){
return byFinger?.matches&&this.has(`${key}_touch`)?this.table[`${key}_touch`]:this.has(key)?this.table[key]:(console.error(`There \
is no word for '${key}'.`),key.replaceAll("_"," "))}list(things){return things.join(this.say("list_comma"))}told(sentences2){return sentences2.
filter(Boolean).join(this.say("sentence_gap"))}fill(html){let made2=document.createElement("template");made2.innerHTML=html.replace(
/\$([a-z]\w*)/g,(_,key)=>escaped2(this.say(key)));for(let term of made2.content.querySelectorAll("[data-term]"))term.setAttribute(
"role","button"),term.setAttribute("tabindex","0");return made2.content}},joined3=text3=>text3.replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g,
""),ENTITIES={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"};function escaped2(text3){return text3.replace(/[&<>"]/g,sign=>ENTITIES[sign])}var TOLD=100,Viewer=class{constructor(root,panels2,{words,colours,metrics,ask,state,book,exercises:exercises2,makes,named,turn}){this.
root=root,this.state=state,this.book=book,this.words=new Words(words),this.payload=null,this.attention=null,this.selectors=null,this.
opened=null,this.view=null,this.loading=null,this.fetching=null,this.fetchMore=null,this.waiting=0,this.asking=0,this.working=0,this.
isSparing=!1,this.isUsed=!1;for(let kind of["pointermove","pointerdown","keydown","focusin"])root.addEventListener(kind,()=>this.use(),
{once:!0,passive:!0});this.progress=0,this.slices=new Slices(view=>this.drawLater(view)),this.isFirst=!0,this.paints=0,this.paintTime=
0,this.afterPaint=Promise.resolve(),this.door=ask,this.arrives=()=>!1;let places=this.places=frame(root,this.words),asks=(kind,run,what,...how)=>this.
ask(kind,run,what,...how);this.panels=panels2.map(panel=>{let box2=document.createElement("div"),own=new Words(words,panel.words);
return box2.className="viz-panel",box2.dataset.panel=panel.name,box2.append(own.fill(panel.html)),places[panel.place].append(box2),
{keys:panel.keys??{},box:box2,place:panel.place,shows:panel.shows,words:own,name:panel.name,mounted:panel.mount(box2,{state,ask:asks,
words:own,colours,metrics,book,exercises:exercises2,makes,named,turn,change:payload=>this.change(payload)})}});let nothing={...state.
all(),depth:"picture",isReading:!1,lights:[],needs:[],payload:{}};choosePanels(root,places,this.panels,nothing),legend(root.querySelector(
".viz-keys"),this.panels,this.words),listen(this),state.subscribe(changed=>this.changed(changed));let sizes=new ResizeObserver(()=>this.
paintSoon());for(let one of[root,places.stage,places.explore])sizes.observe(one);new MutationObserver(()=>this.paint()).observe(document.
body,{attributes:!0,attributeFilter:["class"]})}get lesson(){return this.payload&&lessonOf(this.state,this.payload.model,this.words)}async show(value){
if(value?.refused?.length&&this.refuse(value.refused),!value?.file)return;this.loading?.abort();let loading=this.loading=new AbortController,
isStale=()=>loading.signal.aborted,begun2=null;this.working+=1;try{let{signal}=loading;if(await Payload.load(value.file.url,value,
{signal,onFirst:payload=>{payload.run=value.run??"",begun2=this.begin(payload,isStale)},onMore:payload=>payload===this.payload&&this.
paintSoon()}),isStale())return;await begun2,isStale()||await this.fetchRest(signal)}catch(error){isStale()||this.fail(error)}finally{
this.working-=1}}showHere(bytes,run){let answer=new Response(bytes);return this.show({file:{url:""},answer,bytes:bytes.byteLength,
run})}async fetchRest(signal){let{payload}=this;if(!payload||this.fetching===payload)return;this.fetching=payload;let wanted=()=>payload!==
this.payload?[]:this.isSparing||sparesData()?spared(payload,this.view):this.isFirst&&!this.isUsed?atRest(payload,this.view):inOrder2(
payload,this.view);await payload.fetchRest(wanted,{signal,onMore:()=>payload===this.payload&&this.paintSoon()}),this.fetching=null,
this.fetchMore=payload.complete?null:()=>this.fetchMissing(signal),this.paintSoon(),payload===this.payload&&this.attention?.isQuick&&
this.prepareRollout(this.isStale)}fetchMissing(signal){return this.during(this.fetchRest(signal).catch(error=>signal.aborted||this.
fail(error)))}use(){this.isUsed||(this.isUsed=!0,this.fetchMore?.())}async change(payload){if(payload===this.payload||payload.id!==
this.payload?.id||this.root.dataset.waiting==="true")return;let{signal}=this.loading;await this.during(this.begin(payload,()=>signal.
aborted,this.selectors.opens)),!(signal.aborted||payload!==this.payload)&&(payload.complete?this.attention.isQuick&&this.prepareRollout(
this.isStale):await this.fetchMissing(signal))}async begin(payload,isStale,opens=null){if(await payload.decodePicture(),isStale())
return;let before=this.payload,same=before?.id===payload.id?"swap":"reset";this.selectors?.stop(),this.slices.stop(),this.payload=
null;let isNextFrame=document.documentElement.classList.contains("next-frame");before&&same==="reset"&&this.state.set(isNextFrame?
OF_FRAME:OF_PICTURE);let asker=new Asker(payload,(...asked)=>this.ask(...asked),()=>payload===this.payload&&this.paintSoon());this.
attention=new Attention(payload,asker),this.selectors=new Selectors(payload,this.attention,()=>payload===this.payload&&this.paint(),
opens);let byLink=!opens&&this.arrives();this.state.set({layer:this.layerFor(before,payload,isNextFrame?"swap":same,byLink)}),this.
payload=payload,this.isStale=isStale,this.fetchMore=null,this.root.dataset.plain=String(payload.isPlain),this.root.dataset.state="\
ready",this.wait(!1),this.afterPaint=new Promise(painted2=>requestAnimationFrame(()=>painted2())),same==="reset"&&(this.isFirst=!before&&
!byLink);for(let{mounted}of this.panels)mounted[same]?.(payload);this.paint(),this.root.dispatchEvent(new CustomEvent("vizapp-maps",
{bubbles:!0}))}layerFor(before,payload,same,byLink){let shown=this.state.get("layer"),isOther=before&&before.shape!==payload.shape,
isByHand=byLink||!isOther&&(same==="swap"||shown!==this.opened);return shown!==null&&isByHand?shown:this.opened=this.selectors.opens.
layer}follow(text3,unread=[]){let all=[...unread,...this.state.fromHash(text3)],state=this.state.all();return strangeSaid(this.words,
all,this.fitted(),this.selectors?.choice(state)??state)}toHash(){return this.state.toHash(this.fitted())}fitted(){return this.selectors?.
fitted(this.state.all())??{}}choose(choice){this.wait(choice!==this.settled)}settle(choice){this.settled=choice,this.wait(!1);let stage=this.
root.querySelector(".viz-stage").getBoundingClientRect();stage.height&&stage.bottom<0&&later(()=>intoView(this.root),100)}wait(isWaiting){
this.root.dataset.waiting=String(!!isWaiting),this.root.setAttribute("aria-busy",String(!!isWaiting))}refuse([what,hint]){this.loading?.
abort(),this.selectors?.stop(),this.slices.stop(),this.payload=this.attention=this.selectors=this.view=null;for(let{mounted}of this.
panels)mounted.stop?.();let paragraphs=[this.words.say("refused"),what,this.words.say("refused_why"),hint].map(text3=>Object.assign(
document.createElement("p"),{textContent:text3}));this.root.querySelector(".viz-refusal").replaceChildren(...paragraphs),this.root.
dataset.state="refused",this.wait(!1)}fail(error){let reason=error.key?this.words.say(error.key,error.values):error.message;for(let{
mounted}of this.panels)mounted.fail?.(this.words.say("load_failed",{reason}))}async ask(kind,run,what=null,...how){this.asking+=1;
let{payload}=this;try{await this.afterPaint;let answer=run&&await this.door([kind,run,what,...how])||{};for(let pause=1e3;answer.full&&
payload===this.payload;pause=Math.min(2*pause,3e4))await new Promise(over=>setTimeout(over,pause*(.75+Math.random()/2))),answer=payload===
this.payload&&await this.door([kind,run,what,...how])||{};return answer.refused&&payload===this.payload&&this.refuse(answer.refused),
answer}catch{return{}}finally{this.asking-=1}}async during(work){return this.working+=1,work.finally(()=>this.working-=1)}pending=()=>pending(
this);idle=()=>idle(this);changed(keys){if(!this.payload)return;let isOnlyHover=keys.length===1&&keys[0]==="hover";isOnlyHover&&String(
this.selectors.hovered(this.selectors.choice(this.state.all())))===String(this.view.hovered)||((this.attention.isQuick||this.state.
get("method")==="rollout")&&this.prepareRollout(this.isStale),keys.every(key=>this.state.key(key).moves)?this.paintSoon(isOnlyHover):
this.paint())}paintSoon(isPointing=!1){this.isPointing=isPointing&&(this.isPointing||!this.waiting),!this.waiting&&(this.waiting=requestAnimationFrame(
()=>{this.waiting=0,this.paint(this.isPointing)}))}paint(isPointing=!1){if(!this.payload)return;let started=performance.now(),chapter=this.
book.chapters[this.book.at(this.state.get("chapter"))],{lights=[],shows=[]}=chapter??{},own={progress:this.progress,lights,needs:[
...lights,...shows],isReading:!!chapter,isPointing};this.view={...this.selectors.view(this.state.all()),...own},choosePanels(this.
root,this.places,this.panels,this.view);for(let{mounted}of this.panels)mounted.draw?.(this.view);for(let{mounted}of this.panels)mounted.
show?.(this.view);this.view.map.values||this.fetchMore?.(),this.paints+=1,this.paintTime=performance.now()-started,this.slices.draw(
this.view)}*drawLater(view){for(let{mounted,box:box2}of this.panels)!box2.hidden&&mounted.drawLater&&(yield*mounted.drawLater(view))}async prepareRollout(isStale){
let{payload,attention}=this;if(!payload?.complete||!payload.canRoll)return;let fusion=this.state.get("fusion")==="one"?"mean":this.
state.get("fusion"),told=performance.now();if(!attention.hasFused(fusion)){let tell=share=>{this.progress=share,!(attention!==this.
attention||this.state.get("method")!=="rollout"||performance.now()-told<TOLD)&&(told=performance.now(),this.paintSoon())};if(await this.
during(attention.fuseAll(fusion,tell,isStale)),attention!==this.attention)return;this.paintSoon()}await attention.joinAll(fusion,this.
state.get("skipWeight"),isStale)}};var MADE=["film","page","code","link"];function stateFor(panels2){let declared={...KEYS2};for(let{name:name2,state={}}of panels2)for(let[
key,how]of Object.entries(state)){if(Object.hasOwn(declared,key)||PAGE_KEYS.includes(key))throw new TypeError(`The panel '${name2}\
' declares '${key}', which is there already.`);declared[key]=how}return new State(declared)}function mount(root,panels2,{colours,state=stateFor(
panels2),chapters=[],road,exercises:exercises2=[],makes=MADE,named=()=>"",turn=null,...given}){let maps=Object.fromEntries(Object.
entries(colours).map(([name2,table])=>[name2,new ColourMap(table)])),book=new Book(chapters,road??{open:link=>{state.fromHash(link)},
here:()=>state.toHash()},state);return new Viewer(root,sorted(panels2),{...given,colours:maps,state,book,exercises:exercises2,makes,
named,turn})}function sorted(panels2){return[...panels2].sort((a,b)=>a.order-b.order||(a.name<b.name?-1:1))}var rows_default=__toBinary("AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgAAAwIBAAcRAgRkb3RzAAAGbWVtb3J5AgAK2gQB1wQCBnsHfyACQQJ0I\
gsgAGohDQNAIAxBA2ogBEgEQP0MAAAAAAAAAAAAAAAAAAAAACEG/QwAAAAAAAAAAAAAAAAAAAAAIQX9DAAAAAAAAAAAAAAAAAAAAAAhB/0MAAAAAAAAAAAAAAAAAAAAACE\
IIAEgAGsiDiALaiIPIAtqIhAgC2ohESAAIQIDQCACIA1JBEAgBiAC/QAEACIJIAIgDmr9AAQA/eYB/eQBIQYgBSAJIAIgD2r9AAQA/eYB/eQBIQUgByAJIAIgEGr9AAQA/\
eYB/eQBIQcgCCAJIAIgEWr9AAQA/eYB/eQBIQggAkEQaiECDAELCyADIAYgBf0NAAECAwQFBgcQERITFBUWFyIKIAcgCP0NAAECAwQFBgcQERITFBUWFyIJ/Q0AAQIDCAk\
KCxAREhMYGRobIAogCf0NBAUGBwwNDg8UFRYXHB0eH/3kASAGIAX9DQgJCgsMDQ4PGBkaGxwdHh8iBSAHIAj9DQgJCgsMDQ4PGBkaGxwdHh8iBv0NAAECAwgJCgsQERITG\
BkaGyAFIAb9DQQFBgcMDQ4PFBUWFxwdHh/95AH95AH9CwQAIAEgC0ECdGohASADQRBqIQMgDEEEaiEMDAELCwNAIAQgDEoEQP0MAAAAAAAAAAAAAAAAAAAAACEFQQAhAgN\
AIAIgC0kEQCAFIAAgAmr9AAQAIAEgAmr9AAQA/eYB/eQBIQUgAkEQaiECDAELCyADIAX9HwAgBf0fAZIgBf0fAiAF/R8DkpI4AgAgASALaiEBIANBBGohAyAMQQFqIQwMA\
QsLCw==");var panels=[panel_about,panel_atlas,panel_back,panel_book,panel_cross,panel_doors,panel_fusion,panel_headline,panel_heads,panel_invite,
panel_layers,panel_legend,panel_lesson,panel_look,panel_notes,panel_pages,panel_prediction,panel_present,panel_proof,panel_save,panel_score,
panel_sinks,panel_stage,panel_status,panel_steps,panel_teach,panel_time,panel_tokens],exercises=[exercise,exercise2,exercise3,exercise4,
exercise5,exercise6,exercise7,exercise8,exercise9];load(rows_default);var mount2=(root,given)=>mount(root,panels,{...given,exercises}),
newState=()=>stateFor(panels);return __toCommonJS(panels_exports);})();
