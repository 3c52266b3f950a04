(()=>{var __toBinary=Uint8Array.fromBase64||(()=>{for(var table=new Uint8Array(128),i=0;i<64;i++)table[i<26?i+65:i<52?i+71:i<62?i-4:i*4-
205]=i;return base64=>{for(var n=base64.length,bytes=new Uint8Array((n-(base64[n-1]=="=")-(base64[n-2]=="="))*3/4|0),i2=0,j=0;i2<n;){
var c0=table[base64.charCodeAt(i2++)],c1=table[base64.charCodeAt(i2++)],c2=table[base64.charCodeAt(i2++)],c3=table[base64.charCodeAt(
i2++)];bytes[j++]=c0<<2|c1>>4,bytes[j++]=c1<<4|c2>>2,bytes[j++]=c2<<6|c3}return bytes}})();var FITS=["crop","pad","squash"];var NETWORK_VERSION=2,PUBLIC_PIXELS=25e6,MOST_SHRUNK=8,MIN_SIDE=8,MOST_PAGES=1e4,MAX_ASPECT=100,LONGEST_SIDE=1024,DRAWN_PIXELS=65536,
JPEG_QUALITY=88,TOP_CLASSES=5;var TEMPERATURE=.1,SKIP_WEIGHT=.5,SINK_FAR=5,SINK_LONG=2,SINK_MUCH=5;var PATCH_FEW=12,PATCH_MOST=32768,RISE_AT_ONCE=16,FINE=[0,.01,.02,.04,.08,.16,.32,.64,1],APART=.05;var reading={bitmap:(blob,options)=>createImageBitmap(blob,options),bytes:async blob=>new Uint8Array(await blob.arrayBuffer())},page=null;
function askPage(ask){page=ask}var bitmapOf=(blob,options)=>read("bitmap",blob,options),bytesOf=blob=>read("bytes",blob);async function read(what,blob,options){
try{return await reading[what](blob,options)}catch(error){if(page)return page(what,blob,options);throw error}}var Refused=class extends Error{constructor(key,values={}){super(`${key} ${JSON.stringify(values)}`),this.key=key,this.values=values}};var ORIENTATION=274,CMYK=4,KINDS={jpeg,png,webp,gif,bmp,avif},DOCUMENTS=["<svg","<?xml","%PDF"],PHOTOS=["heic","heix","mif1","msf1",
"hevc"],ELSEWHERE=["II*\0","MM\0*","P1","P2","P3","P4","P5","P6","\0\0\0\fjP","ÿOÿQ"];function headerOf(bytes){if(!bytes.length)
throw new Refused("pictureEmpty");let file=new DataView(bytes.buffer,bytes.byteOffset,bytes.length),kind=kindOf(file);try{let{width,
height,exif=null}=KINDS[kind](file);return{kind,width,height,...orientationAt(file,exif)}}catch(error){throw error instanceof RangeError?
new Refused("pictureDamaged"):error}}function kindOf(file){let start=text(file,0,16);if(start.startsWith("ÿØÿ"))return"jpeg";if(start.
startsWith(`PNG\r

`))return"png";if(start.startsWith("RIFF")&&start.slice(8,12)==="WEBP")return"webp";if(start.startsWith("GIF8"))return"gif";if(start.
startsWith("BM"))return"bmp";let brand=start.slice(4,8)==="ftyp"?start.slice(8,12):"";if(brand==="avif"||brand==="avis")return"avi\
f";throw PHOTOS.includes(brand)?new Refused("pictureHeic"):DOCUMENTS.some(mark=>start.trimStart().startsWith(mark))?new Refused("p\
ictureDocument"):new Refused(ELSEWHERE.some(mark=>start.startsWith(mark))?"pictureNotHere":"pictureUnknown")}var text=(file,at,length)=>{
let found="";for(let i=at;i<Math.min(at+length,file.byteLength);i++)found+=String.fromCharCode(file.getUint8(i));return found};function jpeg(file){
let exif=null;for(let at=2;;){for(;file.getUint8(at+1)===255;)at++;let mark=file.getUint8(at+1);if(file.getUint8(at)!==255||mark===
218)throw new Refused("pictureDamaged");if(mark>=208&&mark<=216){at+=2;continue}if(mark===225&&text(file,at+4,6)==="Exif\0\0"&&(exif??=
at+10),mark>=192&&mark<=207&&![196,200,204].includes(mark)){if(file.getUint8(at+9)===CMYK)throw new Refused("pictureCmyk");return{
height:file.getUint16(at+5),width:file.getUint16(at+7),exif:exif??exifAfter(file,at)}}at+=2+file.getUint16(at+2)}}function exifAfter(file,start){
for(let at=start;at+10<file.byteLength&&file.getUint8(at)===255&&file.getUint8(at+1)!==218;){if(file.getUint8(at+1)===225&&text(file,
at+4,6)==="Exif\0\0")return at+10;at+=2+file.getUint16(at+2)}return null}function png(file){let exif=null;for(let at=8;at+12<=file.
byteLength;at+=12+file.getUint32(at))text(file,at+4,4)==="eXIf"&&(exif=at+8);return{width:file.getUint32(16),height:file.getUint32(
20),exif}}function webp(file){let kind=text(file,12,4);if(kind==="VP8 ")return{width:file.getUint16(26,!0)&16383,height:file.getUint16(
28,!0)&16383};if(kind==="VP8L"){let bits2=file.getUint32(21,!0);return{width:(bits2&16383)+1,height:(bits2>>>14&16383)+1}}let exif=null;
for(let at=12;at+8<=file.byteLength;at+=8+Math.ceil(file.getUint32(at+4,!0)/2)*2)text(file,at,4)==="EXIF"&&(exif=at+(text(file,at+
8,4)==="Exif"?14:8));let three=at=>file.getUint16(at,!0)+(file.getUint8(at+2)<<16);return{width:three(24)+1,height:three(27)+1,exif}}
function gif(file){return{width:file.getUint16(6,!0),height:file.getUint16(8,!0)}}function bmp(file){return{width:Math.abs(file.getInt32(
18,!0)),height:Math.abs(file.getInt32(22,!0))}}function avif(file){let[width,height]=[0,0];for(let at=0;at+16<Math.min(file.byteLength,
65536);at++){if(file.getUint32(at)!==1769173093)continue;let[w,h]=[file.getUint32(at+8),file.getUint32(at+12)];w*h>width*height&&([
width,height]=[w,h])}return{width,height}}function orientationAt(file,exif){let upright2={orientation:1,exif:[]};if(exif===null||exif+
8>file.byteLength)return upright2;let little=text(file,exif,2)==="II",table=exif+file.getUint32(exif+4,little);if(table+2>file.byteLength)
return upright2;let count=file.getUint16(table,little);for(let i=0,at=table+2;i<count&&at+12<=file.byteLength;i++,at+=12){if(file.
getUint16(at,little)!==ORIENTATION)continue;let orientation=file.getUint16(at+8,little);return orientation>=1&&orientation<=8?{orientation,
exif:[at+8,at+(little?8:9)]}:upright2}return upright2}var STEPS=2**20,CHUNKS=2**16,DRAWN=4,COUNTED={gif:gif2,png:png2,webp:webp2};function pagesOf(kind,bytes){let file=new DataView(bytes.
buffer,bytes.byteOffset,bytes.length);return COUNTED[kind]?.(bytes,file)??{pages:1,isAll:!0,alone:0}}var upTo=(found,alone=0)=>({pages:Math.
min(Math.max(1,found),MOST_PAGES),isAll:found<=MOST_PAGES,alone}),is=(bytes,at,text2)=>[...text2].every((letter,i)=>bytes[at+i]===
letter.charCodeAt(0));function gif2(bytes){let table=told2=>told2&128?3*2**((told2&7)+1):0,[at,found,steps2]=[13+table(bytes[10]),
0,0];for(;at<bytes.length&&steps2<STEPS&&found<=MOST_PAGES;){steps2+=1;let mark=bytes[at];if(mark===59)break;if(mark===44)at+=11+table(
bytes[at+9]),found+=1;else if(mark===33)at+=2;else{at+=1;continue}for(;bytes[at]&&steps2<STEPS;steps2++)at+=1+bytes[at];at+=1}let{
pages,isAll}=upTo(found);return{pages,isAll:isAll&&steps2<STEPS,alone:0}}function png2(bytes,file){let[told2,found,alone,hasPixels]=[
0,0,0,!1];for(let at=8,i=0;i<CHUNKS;i++){if(at+8>bytes.length||is(bytes,at+4,"IEND")||hasPixels&&!told2)return upTo(Math.min(told2,
found)+alone,alone);let length=file.getUint32(at);is(bytes,at+4,"acTL")&&length===8&&!hasPixels&&at+12<=bytes.length&&(told2=file.
getUint32(at+8)),is(bytes,at+4,"fcTL")&&(found+=1),is(bytes,at+4,"IDAT")&&!hasPixels&&([hasPixels,alone]=[!0,found?0:1]),at+=12+length}
return{pages:Math.max(1,Math.min(told2,found,MOST_PAGES)),isAll:!1,alone}}function webp2(bytes,file){let found=0;for(let at=12,i=0;i<
CHUNKS;i++){if(at+8>bytes.length||found>MOST_PAGES)return upTo(found);is(bytes,at,"ANMF")&&(found+=1),at+=8+Math.ceil(file.getUint32(
at+4,!0)/2)*2}return{pages:Math.max(1,found),isAll:!1,alone:0}}var decoder=()=>globalThis.ImageDecoder,canTurn=()=>!!decoder();async function bitmapOfPage(bytes,{
kind,width,height},page2,{pages,alone}){if(page2>pages)throw new Refused("pictureNoPage",{page:page2,pages});if(page2*width*height>
PUBLIC_PIXELS*DRAWN)throw new Refused("picturePageFar",{page:page2});if(!canTurn())throw new Refused("picturePageNotHere");let how={
data:bytes,type:`image/${kind}`,colorSpaceConversion:"none",preferAnimation:!0},film=new(decoder())(how);try{let{image}=await film.
decode({frameIndex:page2-1-alone}),bitmap=await createImageBitmap(image,{colorSpaceConversion:"none",premultiplyAlpha:"none"});return image.
close(),bitmap}catch{throw new Refused("pictureDamaged")}finally{film.close()}}function white(largest,bits2){let told2=bits2>0&&bits2<16?2**bits2-1:0;if(told2&&largest>0&&largest<=told2)return{top:told2,note:{
key:"pictureWhiteTold",values:{top:told2,whole:65535}}};if(told2||largest===0||largest>32767)return{top:65535,note:null};let top=2**
(Math.floor(Math.log2(largest))+1)-1;return{top,note:{key:"pictureWhiteFound",values:{largest,top,whole:65535}}}}var byteOf=(value,top)=>Math.
min(255,Math.floor((value*510+top)/(2*top)));function largestOf(row,channels){let isClear=channels===2||channels===4,[colours2,alpha]=[
0,0];for(let i=0,channel=0;i<row.length;i+=2,channel=(channel+1)%channels){let value=row[i]*256+row[i+1];isClear&&channel===channels-
1?alpha=Math.max(alpha,value):colours2=Math.max(colours2,value)}return{colours:colours2,alpha}}function overWhite(rgba,rgb,from=0){for(let at=0,out=from;at<rgba.length;at+=4){let alpha=rgba[at+3];if(alpha===255)rgb[out++]=rgba[at],
rgb[out++]=rgba[at+1],rgb[out++]=rgba[at+2];else for(let channel=0;channel<3;channel++)rgb[out++]=mixed(rgba[at+channel],alpha)}}function mixed(value,alpha){
let sum=128*(value*alpha+255*(255-alpha))+16384;return(sum>>8)+sum>>15}var CHANNELS={0:1,2:3,3:1,4:2,6:4},SIGNIFICANT={0:1,2:3,4:2,6:4},AT_ONCE=[[0,0,1,1]],PASSES=[[0,0,8,8],[4,0,8,8],[0,4,4,8],[2,0,4,
4],[0,2,2,4],[1,0,2,2],[0,1,1,2]];async function decodePng(bytes){let{about:about2,palette,transparent,significant,packed:packed2}=parts(
bytes),{width,height,depth,type,isInterlaced}=about2;if(!packed2.length||!(type in CHANNELS)||type===3&&!palette)throw new Refused(
"pictureDamaged");let passes=(isInterlaced?PASSES:AT_ONCE).map(([x,y,stepX,stepY])=>{let[columns,rows2]=[Math.ceil((width-x)/stepX),
Math.ceil((height-y)/stepY)];return{x,y,stepX,stepY,columns,rows:rows2}}).filter(({columns,rows:rows2})=>columns>0&&rows2>0),bits2=CHANNELS[type]*
depth,lineOf=({columns})=>Math.ceil(columns*bits2/8),lines=await inflated(packed2,passes.reduce((sum,pass)=>sum+pass.rows*(1+lineOf(
pass)),0)),rows=unfiltered(lines,passes,lineOf,Math.max(1,bits2>>3)),{top,alpha,note}=depth===16?whiteOf(rows,type,significant):{top:65535,
alpha:65535,note:null},toRgba=note?deep(type,top,alpha):colours(type,depth,palette,transparent);return{width,height,data:coloured(
rows,width,height,toRgba),note}}function unfiltered(lines,passes,lineOf,step){let found=[],at=0;for(let pass of passes){let line=lineOf(
pass),before2=new Uint8Array(line);for(let row=0;row<pass.rows;row++,at+=1+line){let own=lines.subarray(at+1,at+1+line);unfilter(lines[at],
own,before2,step),found.push({own,pass,row}),before2=own}}return found}function whiteOf(rows,type,significant){let[largest,clear]=[
0,0];for(let{own}of rows){let{colours:found,alpha}=largestOf(own,CHANNELS[type]);[largest,clear]=[Math.max(largest,found),Math.max(
clear,alpha)]}let told2=significant?.length===SIGNIFICANT[type]?significant.subarray(0,type&2?3:1):[],{top,note}=white(largest,Math.
max(0,...told2));return{top,alpha:clear<=top?top:65535,note}}function coloured(rows,width,height,toRgba){let data=new Uint8Array(width*
height*3),[rgba,rgb]=[new Uint8Array(0),new Uint8Array(0)];for(let{own,pass,row}of rows){rgba.length!==pass.columns*4&&([rgba,rgb]=
[new Uint8Array(pass.columns*4),new Uint8Array(pass.columns*3)]),toRgba(own,rgba),overWhite(rgba,rgb);let to=(pass.y+row*pass.stepY)*
width+pass.x;if(pass.stepX===1)data.set(rgb,to*3);else for(let i=0;i<pass.columns;i++)data.set(rgb.subarray(i*3,i*3+3),(to+i*pass.
stepX)*3)}return data}function parts(bytes){let file=new DataView(bytes.buffer,bytes.byteOffset,bytes.length),[packed2,chunks]=[[],
new Map];for(let at=8;at+12<=bytes.length;){let[length,kind]=[file.getUint32(at),String.fromCharCode(...bytes.subarray(at+4,at+8))],
inside=bytes.subarray(at+8,at+8+length);kind==="IDAT"?packed2.push(inside):chunks.has(kind)||chunks.set(kind,inside),at+=12+length}
let[depth,type,,,interlace]=bytes.subarray(24,29);return{about:{width:file.getUint32(16),height:file.getUint32(20),depth,type,isInterlaced:interlace===
1},palette:chunks.get("PLTE"),transparent:chunks.get("tRNS"),significant:chunks.get("sBIT"),packed:packed2}}async function inflated(packed2,length){
let lines=new Uint8Array(length),{readable,writable}=new DecompressionStream("deflate"),reader=readable.getReader();feed(writable,
packed2).catch(()=>{});let at=0;try{for(;at<length;){let{done,value}=await reader.read();if(done)break;lines.set(value.subarray(0,
length-at),at),at+=value.length}}catch{throw new Refused("pictureDamaged")}finally{reader.cancel().catch(()=>{})}if(at<length)throw new Refused(
"pictureDamaged");return lines}async function feed(writable,packed2){let writer2=writable.getWriter();for(let piece of packed2)await writer2.
ready,await writer2.write(piece);await writer2.close()}function unfilter(kind,row,above,step){let n=row.length;if(kind===1)for(let i=step;i<
n;i++)row[i]+=row[i-step];else if(kind===2)for(let i=0;i<n;i++)row[i]+=above[i];else if(kind===3)for(let i=0;i<n;i++)row[i]+=(i<step?
0:row[i-step])+above[i]>>1;else if(kind===4)for(let i=0;i<n;i++)row[i]+=i<step?above[i]:paeth(row[i-step],above[i],above[i-step]);else if(kind!==
0)throw new Refused("pictureDamaged")}function paeth(left,up2,corner){let[a,b,c]=[Math.abs(up2-corner),Math.abs(left-corner),Math.
abs(left+up2-2*corner)];return a<=b&&a<=c?left:b<=c?up2:corner}function colours(type,depth,palette,transparent){let key=type!==3&&
transparent?wholes(transparent):null;if(type===3)return(row,rgba)=>fromTable(row,depth,rgba,index=>colour(index,palette,transparent));
if(type===0&&depth<16){let most2=2**depth-1,grey2=value=>[value*255/most2,value*255/most2,value*255/most2,key?.[0]===value?0:255];
return(row,rgba)=>fromTable(row,depth,rgba,grey2)}if(type===0)return(row,rgba)=>wideGrey(row,rgba);let[step,channels]=[depth>>3,CHANNELS[type]];
return(row,rgba)=>{for(let i=0,at=0;at<rgba.length;at+=4,i+=channels*step){let isGrey=channels===2;rgba[at]=row[i],rgba[at+1]=row[isGrey?
i:i+step],rgba[at+2]=row[isGrey?i:i+2*step],rgba[at+3]=channels===3?isKey(row,i,step,key)?0:255:row[i+(channels-1)*step]}}}function wholes(bytes){
return Array.from({length:bytes.length>>1},(_,i)=>bytes[2*i]*256+bytes[2*i+1])}var colour=(index,palette,transparent)=>[...palette.
subarray(3*index,3*index+3),transparent?.[index]??255],isKey=(row,i,step,key)=>step===1&&key?.every((value,channel)=>row[i+channel]===
value);function fromTable(row,depth,rgba,of2){let mask=2**depth-1;for(let i=0,at=0;at<rgba.length;i+=depth,at+=4)rgba.set(of2(row[i>>
3]>>8-depth-(i&7)&mask),at)}function wideGrey(row,rgba){for(let i=0,at=0;at<rgba.length;i+=2,at+=4)rgba.fill(Math.round((row[i]*256+
row[i+1])/257),at,at+3),rgba[at+3]=255}function deep(type,top,opaque){let channels=CHANNELS[type],isClear=channels===2||channels===
4,places2=channels<3?[0,0,0]:[0,2,4];return(row,rgba)=>{for(let i=0,at=0;at<rgba.length;at+=4,i+=2*channels){places2.forEach((place,channel)=>{
rgba[at+channel]=byteOf(row[i+place]*256+row[i+place+1],top)});let end=i+2*channels;rgba[at+3]=isClear?byteOf(row[end-2]*256+row[end-
1],opaque):255}}}var SAMPLES={jpeg:"/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP/////////////////////////////////////////////////////////////////////////////\
/////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AR//Z",webp:"UklGRiQAAABXRUJQVlA4I\
BgAAAAwAQCdASoBAAEADMDOJaQAA3AA/uuuAAA=",gif:"R0lGODdhAQABAIEAAP///wAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw==",bmp:"Qk06AAAAAAAAADYAA\
AAoAAAAAQAAAAEAAAABABgAAAAAAAQAAADEDgAAxA4AAAAAAAAAAAAA////AA==",avif:"AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAA\
AAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAIAAAAChpaW5mAAAAAAABAAAAGmluZ\
mUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAAQAAAAEAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAE\
ADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAAKG1kYXQSAAoIGAAGiAhoNCAyEh/3h4UV3///4sAAAJA1jjx9ZA=="},sampleOf=kind=>Uint8Array.from(atob(
SAMPLES[kind]),character=>character.charCodeAt(0));function upright(stored,orientation){if(orientation===1)return stored;let bottomFirst=[3,4,6,7].includes(orientation),rightFirst=[
2,3,7,8].includes(orientation),line=stored.width*3,toRow=bottomFirst?-line:line,toColumn=rightFirst?-3:3,first=(bottomFirst?(stored.
height-1)*line:0)+(rightFirst?line-3:0),turned2=orientation>=5,[width,height]=turned2?[stored.height,stored.width]:[stored.width,stored.
height],[stepX,stepY]=turned2?[toRow,toColumn]:[toColumn,toRow],data=new Uint8Array(stored.data.length),out=0;for(let y=0;y<height;y++)
for(let x=0,at=first+y*stepY;x<width;x++,at+=stepX)data[out++]=stored.data[at],data[out++]=stored.data[at+1],data[out++]=stored.data[at+
2];return{width,height,data}}var ENDS={jpeg:jpeg2,webp:webp3,gif:gif3},isWhole=(kind,bytes)=>ENDS[kind]?.(bytes)??!0;function jpeg2(bytes){let at=2;for(;at+4<=
bytes.length&&bytes[at+1]!==218;){let isBare=bytes[at+1]===255||bytes[at+1]>=208&&bytes[at+1]<=216;at+=bytes[at+1]===255?1:isBare?
2:2+bytes[at+2]*256+bytes[at+3]}for(let end=bytes.length-2;end>at;end--)if(bytes[end]===255&&bytes[end+1]===217)return!0;return!1}
function webp3(bytes){return new DataView(bytes.buffer,bytes.byteOffset).getUint32(4,!0)+8<=bytes.length}function gif3(bytes){let table=told2=>told2&
128?3*2**((told2&7)+1):0,behind=at2=>{for(;bytes[at2];)at2+=1+bytes[at2];return at2<bytes.length?at2+1:1/0},at=13+table(bytes[10]);
for(;bytes[at]===33;)at=behind(at+2);return bytes[at]===44&&behind(at+11+table(bytes[at+9]))<=bytes.length}var NAMES={jpeg:"JPEG",webp:"WebP",gif:"GIF",bmp:"BMP",avif:"AVIF"},DAMAGED=["InvalidStateError","EncodingError"],STRIP=2**20;async function decode(bytes,page2=1){
let header=headerOf(bytes),factor=shrinking(header),counted=pagesOf(header.kind,bytes),{note,...stored}=await storedIn(bytes,header,
factor,page2,counted),picture=upright(stored,header.orientation),pages=counted.pages>1?{page:page2,pages:counted.pages,isAll:counted.
isAll,turns:canTurn()}:null;if(factor===1)return{...picture,note,pages};let{width,height}=header.orientation<5?header:{width:header.
height,height:header.width},values={lessWidth:picture.width,lessHeight:picture.height,width,height};return{...picture,note:{key:"p\
ictureShrunk",values},pages}}async function storedIn(bytes,header,factor,page2,counted){return page2>1?{...await bitmapRead(bitmapOfPage(
unturned(bytes,header.exif),header,page2,counted)),note:null}:header.kind==="png"?decodePng(bytes):{...await byBrowser(bytes,header,
factor),note:null}}function shrinking({kind,width,height}){let pixels=width*height,size={width,height};if(pixels>PUBLIC_PIXELS*(kind===
"jpeg"?MOST_SHRUNK:1))throw new Refused("pictureTooLarge",{...size,millions:PUBLIC_PIXELS/1e6});if(Math.min(width,height)<MIN_SIDE)
throw new Refused("pictureTooSmall",{...size,least:MIN_SIDE});if(Math.max(width,height)>MAX_ASPECT*Math.min(width,height))throw new Refused(
"pictureTooLong",{...size,most:MAX_ASPECT});return[1,2,4].find(factor=>pixels<=PUBLIC_PIXELS*factor**2)??4}async function byBrowser(bytes,{
kind,width,height,exif},factor){if(!isWhole(kind,bytes))throw new Refused("pictureDamaged");let resized={resizeWidth:Math.ceil(width/
factor),resizeHeight:Math.ceil(height/factor),resizeQuality:"high"};return bitmapRead(bitmapIn(kind,unturned(bytes,exif),factor>1?
resized:{}))}async function bitmapRead(decoding){let bitmap=await decoding;try{return pixelsOf(bitmap)}finally{bitmap.close()}}async function bitmapIn(kind,bytes,resized){
let file=some=>new Blob([some],{type:`image/${kind}`});try{return await bitmapOf(file(bytes),{colorSpaceConversion:"none",premultiplyAlpha:"\
none",...resized})}catch(error){let known=await bitmapOf(file(sampleOf(kind))).catch(()=>null);throw known?(known.close(),DAMAGED.
includes(error?.name)?new Refused("pictureDamaged"):error):new Refused("pictureKind",{kind:NAMES[kind]})}}function unturned(bytes,[
from,counts]){if(from===void 0)return bytes;let copy=bytes.slice();return copy.fill(0,from,from+2),copy[counts]=1,copy}function pixelsOf(bitmap){
let{width,height}=bitmap,rows=Math.min(height,Math.max(1,Math.floor(STRIP/width))),context=new OffscreenCanvas(width,rows).getContext(
"2d",{willReadFrequently:!0}),data=new Uint8Array(width*height*3);for(let top=0;top<height;top+=rows){context.clearRect(0,0,width,
rows),context.drawImage(bitmap,0,-top);let count=Math.min(rows,height-top);overWhite(context.getImageData(0,0,width,count).data,data,
top*width*3)}return{width,height,data}}var float=new Float32Array(1),word=new Uint32Array(float.buffer);function floatToHalf(values){let bits2=new Uint16Array(values.length);
for(let i=0;i<values.length;i++)float[0]=values[i],bits2[i]=halved(word[0]);return bits2}function halved(bits2){let sign=bits2>>>16&
32768,size=bits2&2147483647;if(size>=2139095040)return sign|(size>2139095040?32256:31744);if(size>=1199566848)return sign|31744;if(size>=
947912704){let kept2=(size>>>13)-114688,rest2=size&8191;return sign|kept2+(rest2>4096||rest2===4096&&kept2&1?1:0)}if(size<855638016)
return sign;let shift=126-(size>>>23),fraction2=size&8388607|8388608,kept=fraction2>>>shift,rest=fraction2&(1<<shift)-1,middle=1<<
shift-1;return sign|kept+(rest>middle||rest===middle&&kept&1?1:0)}function probabilities(logits,activation2=""){let values=Float64Array.from(logits);if(activation2==="none")return values;if(activation2!==
"softmax"&&(activation2||values.length===1))return values.map(logit=>1/(1+Math.exp(-logit)));let top=values.reduce((a,b)=>Math.max(
a,b),-1/0),exps=values.map(logit=>Math.exp(logit-top)),whole2=exps.reduce((a,b)=>a+b,0);return exps.map(one=>one/whole2)}var SAME=1e-4;function steps(net,pixels,[layer,query,key],edits=[]){let{kind,depth}=net.header;if(kind!=="vit")throw new Refused("\
stepsNoVit");let isThere=(index,count)=>Number.isInteger(index)&&index>=0&&index<count;if(!isThere(layer,depth)||!isThere(query,net.
tokens)||!isThere(key,net.tokens))throw new Refused("stepsNowhere");let pass=net.forward(pixels,{keep:!0,edits}),streams=streamsOf(
net,pixels,pass),pair=new Pair(net,pass.layers[layer],layer,streams);return{vectors:{...pair.vectors(query,key),...pair.token("que\
ry",query),...pair.token("key",key)},keys:Array.from({length:net.tokens},(_,token)=>token),at:key,turned:{query:pair.isTurned("q",
query),key:pair.isTurned("k",key)},left_out:{},...classes(net,pass.logits,streams)}}function streamsOf(net,pixels,pass){let{depth}=net.
header,left=Array.from({length:depth},(_,layer)=>pass.tokens(layer));return[net.entering(pixels),...left]}function classes(net,logits,streams){
let{labels,activation:activation2,dim}=net.header;if(!labels.length||activation2==="none")return{};let label=logits.indexOf(logits.
reduce((a,b)=>Math.max(a,b),-1/0)),lens=streams.map((stream,n)=>{for(let token=0;token<net.tokens;token++)net.floats.set(stream.subarray(
token*dim,(token+1)*dim),(net.body.x>>2)+token*net.body.ld);return[n,probabilities(net.body.logits(net),activation2)[label]]});return{
label:labels[label],lens}}var Pair=class{constructor(net,{q,k,v,bias},layer,streams){let{dim,heads,headDim,layerScale}=net.header,
read2=(name,shape)=>net.file.values(`blocks.${layer}.${name}`,shape),inner=heads*headDim;this.net=net,this.given={q,k,v},this.bias=
bias,this.entering=streams[layer],this.leaving=streams[layer+1],this.norm={weight:read2("norm1.weight",[dim]),bias:read2("norm1.bi\
as",[dim])},this.qkv=read2("attn.qkv.weight",[3*inner,dim]),this.qkvBias=net.file.has(`blocks.${layer}.attn.qkv.bias`)?read2("attn\
.qkv.bias",[3*inner]):new Float32Array(3*inner),this.proj=read2("attn.proj.weight",[dim,inner]),this.projBias=read2("attn.proj.bia\
s",[dim]),this.gamma=layerScale?read2("ls1.gamma",[dim]):new Float32Array(dim).fill(1)}of(what,token){let{heads,headDim}=this.net.
header,found=new Float32Array(heads*headDim);for(let head=0;head<heads;head++){let from=(head*this.net.tokens+token)*headDim;found.
set(this.given[what].subarray(from,from+headDim),head*headDim)}return found}made(what,token){let{dim,heads,headDim,eps}=this.net.header,
read2=layerNorm(this.entering.slice(token*dim,(token+1)*dim),this.norm,eps),first=what==="q"?0:heads*headDim;return Float32Array.from(
{length:heads*headDim},(_,i)=>dot(this.qkv,(first+i)*dim,read2,0,dim)+this.qkvBias[first+i])}token(side,token){let{dim,heads,headDim,
eps}=this.net.header,what=side==="query"?"q":"k",stream=this.entering.slice(token*dim,(token+1)*dim),read2=layerNorm(stream,this.norm,
eps),made=this.made(what,token),used=this.used(what,token)??made;return Object.fromEntries(Object.entries({stream:[[dim],stream],read:[
[dim],read2],made:[[heads,headDim],made],used:[[heads,headDim],used]}).map(([name,[shape,values]])=>[`${side}.${name}`,[shape,packed(
values)]]))}isTurned(what,token){let used=this.used(what,token);if(!used||this.net.header.qkNorm)return!!used;let made=this.made(what,
token),most2=used.reduce((top,value)=>Math.max(top,Math.abs(value)),0);return used.some((value,i)=>Math.abs(value-made[i])>SAME*most2)}used(what,token){
let{qkNorm,rotary,prefix,headDim}=this.net.header;return qkNorm?this.of(what,token):!rotary||token<prefix.length?null:what==="q"?this.
of("q",token).map(value=>value*headDim**.5):this.of("k",token)}vectors(query,key){let{dim,heads,headDim,qkNorm}=this.net.header,{tokens}=this.
net,{v}=this.given,{scores,attention:attention2}=this.row(query),mixed2=new Float64Array(heads*headDim);for(let head=0;head<heads;head++)
for(let j=0;j<tokens;j++){let from=(head*tokens+j)*headDim;for(let c=0;c<headDim;c++)mixed2[head*headDim+c]+=attention2[head*tokens+
j]*v[from+c]}let written=new Float32Array(heads*dim);for(let head=0;head<heads;head++)for(let i=0;i<dim;i++){let weights=i*heads*headDim+
head*headDim;written[head*dim+i]=dot(this.proj,weights,mixed2,head*headDim,headDim)*this.gamma[i]}let constant=this.projBias.map((value,i)=>value*
this.gamma[i]),between3=constant.map((value,i)=>{for(let head=0;head<heads;head++)value+=written[head*dim+i];return value+this.entering[query*
dim+i]}),after=this.leaving.slice(query*dim,(query+1)*dim),found={attention:[[heads,tokens],attention2],scores:[[heads,tokens],scores],
scale:[[heads],new Float32Array(heads).fill(qkNorm?1:headDim**-.5)],...this.bias?{bias:[[heads,tokens],this.added(query)]}:{},values:[
[heads,headDim],this.of("v",key)],mixed:[[heads,headDim],Float32Array.from(mixed2)],written:[[heads,dim],written],constant:[[dim],
constant],between:[[dim],between3],rest:[[dim],after.map((value,i)=>value-between3[i])],after:[[dim],after]};return Object.fromEntries(
Object.entries(found).map(([name,[shape,values]])=>[name,[shape,packed(values)]]))}added(query){let{heads}=this.net.header,{tokens}=this.
net,found=new Float32Array(heads*tokens);for(let head=0;head<heads;head++)found.set(this.bias(head).subarray(query*tokens,(query+1)*
tokens),head*tokens);return found}row(query){let{heads,headDim}=this.net.header,{tokens}=this.net,{q,k}=this.given,scores=this.bias?
this.added(query):new Float32Array(heads*tokens),attention2=new Float32Array(heads*tokens);for(let head=0;head<heads;head++){let row=scores.
subarray(head*tokens,(head+1)*tokens),from=head*tokens;for(let j=0;j<tokens;j++)row[j]+=dot(q,(from+query)*headDim,k,(from+j)*headDim,
headDim);attention2.set(probabilities(row,"softmax"),head*tokens)}return{scores,attention:attention2}}};function layerNorm(values,{
weight,bias},eps){let mean=values.reduce((a,b)=>a+b,0)/values.length,spread=Math.sqrt(values.reduce((sum,value)=>sum+(value-mean)**
2,0)/values.length+eps);return values.map((value,i)=>(value-mean)/spread*weight[i]+bias[i])}function dot(a,from,b,start,width){let sum=0;
for(let i=0;i<width;i++)sum+=a[from+i]*b[start+i];return sum}function packed(values){let bytes=new Uint8Array(values.buffer,values.
byteOffset,values.byteLength),text2="";for(let i=0;i<bytes.length;i+=4096)text2+=String.fromCharCode(...bytes.subarray(i,i+4096));
return btoa(text2)}function features(net,pixels){net.forward(pixels);let{size,patch}=net.header,normed=!!net.body.readout.norm;return{features:packed(
floatToHalf(unitFeatures(net))),grid:size.map(side=>side/patch),normed}}function unitFeatures({body,tokens,kernels,floats,header}){
let{dim,eps,prefix}=header,{norm}=body.readout;norm&&kernels.layerNorm(body.x,body.ld,norm.weight,norm.bias,body.y,tokens,dim,eps);
let from=(norm?body.y:body.x)>>2,found=new Float32Array((tokens-prefix.length)*dim);for(let i=0;i<tokens-prefix.length;i++){let row=floats.
subarray(from+(prefix.length+i)*body.ld).subarray(0,dim),length=Math.max(Math.sqrt(row.reduce((sum,value)=>sum+value*value,0)),1e-12);
for(let j=0;j<dim;j++)found[i*dim+j]=row[j]/length}return found}function embedding(net,pixels,[row,col,also]){let{kind,dim,channels,preNorm}=net.header;if(kind!=="vit")throw new Refused("stepsNo\
Vit");let{patch,size,first,base,ld}=net.embedding,[rows,columns]=size.map(side=>side/patch),isThere=(index,count)=>Number.isInteger(
index)&&index>=0&&index<count;if(!isThere(row,rows)||!isThere(col,columns)||also!==null&&!isThere(also,dim))throw new Refused("ste\
psNowhere");let shape=[channels,patch,patch],own=new Float32Array(channels*patch*patch);for(let line=0;line<channels*patch;line++){
let[channel,y]=[Math.floor(line/patch),line%patch],from=(channel*size[0]+row*patch+y)*size[1]+col*patch;own.set(pixels.subarray(from,
from+patch),line*patch)}let weights=net.file.values("patch_embed.proj.weight",[dim,...shape]),bias=net.file.has("patch_embed.proj.\
bias")?net.file.values("patch_embed.proj.bias",[dim]):new Float32Array(dim),made=bias.map((value,i)=>value+dot(weights,i*own.length,
own,0,own.length)),at=first+row*columns+col,place=(base>>2)+at*ld,position=net.floats.slice(place,place+dim),token=preNorm?net.entering(
pixels).slice(at*dim,(at+1)*dim):made.map((value,i)=>value+position[i]),dimensions=shown(preNorm?made:token,own.length,also),found={
pixels:[shape,own],weights:[[dimensions.length,...shape],of(weights,dimensions,own.length)],bias:[[dimensions.length],of(bias,dimensions,
1)],made:[[dim],made],token:[[dim],token],...preNorm?{}:{position:[[dim],position]}},vectors=Object.entries(found).map(([name,[size2,
values]])=>[name,[size2,packed(values)]]);return{vectors:Object.fromEntries(vectors),dimensions}}function shown(values,weights,also){
let all=Array.from(values,(_,i)=>i);if(values.length*weights<=PATCH_MOST)return all;let order=all.sort((a,b)=>Math.abs(values[b])-
Math.abs(values[a])).slice(0,PATCH_FEW);return also!==null&&!order.includes(also)&&(order[PATCH_FEW-1]=also),order.sort((a,b)=>a-b)}
function of(table,rows,width){let found=new Float32Array(rows.length*width);return rows.forEach((row,i)=>found.set(table.subarray(
row*width,(row+1)*width),i*width)),found}var ROOTS=new Uint32Array(64),START=new Uint32Array(8);for(let n=2,found=0;found<64;n++)isPrime(n)&&(ROOTS[found]=fraction(Math.cbrt(
n)),found<8&&(START[found]=fraction(Math.sqrt(n))),found++);function isPrime(n){for(let i=2;i*i<=n;i++)if(n%i===0)return!1;return!0}
function fraction(root){return Math.floor((root-Math.floor(root))*2**32)}function sha256(bytes){let state=START.slice(),words=new Uint32Array(
64),whole2=bytes.length&-64;digest(new DataView(bytes.buffer,bytes.byteOffset,bytes.length),whole2,state,words);let rest=new Uint8Array(
bytes.length-whole2<56?64:128);rest.set(bytes.subarray(whole2)),rest[bytes.length-whole2]=128;let view=new DataView(rest.buffer);return view.
setUint32(rest.length-8,Math.floor(bytes.length/2**29)),view.setUint32(rest.length-4,bytes.length<<3),digest(view,rest.length,state,
words),Array.from(state,word2=>word2.toString(16).padStart(8,"0")).join("")}function digest(view,length,state,words){for(let start=0;start<
length;start+=64){for(let i=0;i<16;i++)words[i]=view.getUint32(start+4*i);for(let i=16;i<64;i++){let[x,y]=[words[i-15],words[i-2]],
low=turned(x,7)^turned(x,18)^x>>>3,high=turned(y,17)^turned(y,19)^y>>>10;words[i]=words[i-16]+low+words[i-7]+high}let[a,b,c,d,e,f,
g,h]=state;for(let i=0;i<64;i++){let one=h+(turned(e,6)^turned(e,11)^turned(e,25))+(e&f^~e&g)+ROOTS[i]+words[i]|0,two=(turned(a,2)^
turned(a,13)^turned(a,22))+(a&b^a&c^b&c)|0;[h,g,f,e,d,c,b,a]=[g,f,e,d+one|0,c,b,a,one+two|0]}[a,b,c,d,e,f,g,h].forEach((word2,i)=>state[i]+=
word2)}}var turned=(word2,by)=>word2>>>by|word2<<32-by;function sharesOf(features2,prototypes,temperature=TEMPERATURE){let[things,width]=[prototypes.length,prototypes[0].length],lengths=prototypes.
map(one=>Math.max(Math.hypot(...one),1e-12)),shares2=new Float32Array(features2.length/width*things);for(let at=0;at<shares2.length;at+=
things){let from=at/things*width,highest=-1/0;for(let k=0;k<things;k++){let dot2=0;for(let i=0;i<width;i++)dot2+=features2[from+i]*
prototypes[k][i];shares2[at+k]=dot2/lengths[k]/temperature,highest=Math.max(highest,shares2[at+k])}let sum=0;for(let k=0;k<things;k++)
sum+=shares2[at+k]=Math.exp(shares2[at+k]-highest);for(let k=0;k<things;k++)shares2[at+k]/=sum}return shares2}function taught(net,{names,prototypes}){let header={...net.header,labels:names,activation:"softmax",readout:"mean"},forward=(pixels,options)=>{
let pass=net.forward(pixels,options);return pass&&{...pass,logits:logShares(sharesOf(unitFeatures(net),prototypes),names.length)}};
return Object.assign(Object.create(net),{header,forward})}function shares(net,pixels,lesson){let ofThings=taught(net,lesson);return probabilities(
ofThings.forward(pixels).logits,ofThings.header.activation)}function logShares(each,things){let sums2=new Float64Array(things);for(let i=0;i<
each.length;i++)sums2[i%things]+=each[i];return Float32Array.from(sums2,sum=>Math.log(sum*things/each.length))}var answers={proof:async({net},_what,words)=>(await net()).file.isRounded?{rounded:[words.rounded,words.made]}:{made:words.made},steps:async({
net,pixels},what)=>steps(await net(),pixels,what),embedding:async({net,pixels},what)=>embedding(await net(),pixels,what),features:async({
net,pixels})=>features(await net(),pixels),shares:async({net,pixels},lesson)=>({shares:shares(await net(),pixels,lesson)}),saving:async({
file,page:page2,fit})=>({about:{picture_sha256:sha256((await decode(file,page2)).data),fit,edits:[]}}),classes:(_look,_what,words)=>({
why:words.needsGradients})};async function encode(picture){let bitmap=await fitted(picture),{width,height}=bitmap,canvas=new OffscreenCanvas(width,height);canvas.
getContext("2d").drawImage(bitmap,0,0),bitmap.close();let type=width*height<=DRAWN_PIXELS?"image/png":"image/jpeg",blob=await canvas.
convertToBlob({type,quality:JPEG_QUALITY/100});return{bytes:await bytesOf(blob),type:blob.type}}function fitted({width,height,data}){
let pixels=new ImageData(width,height),rgba=pixels.data;for(let at=0,to=0;at<data.length;at+=3,to+=4)rgba[to]=data[at],rgba[to+1]=
data[at+1],rgba[to+2]=data[at+2],rgba[to+3]=255;let scale=Math.min(1,LONGEST_SIDE/Math.max(width,height)),[resizeWidth,resizeHeight]=[
width,height].map(side=>Math.max(1,Math.round(side*scale))),resized=scale<1?{resizeWidth,resizeHeight,resizeQuality:"high"}:{};return createImageBitmap(
pixels,{colorSpaceConversion:"none",...resized})}var Patches=class{constructor({size:[height,width],patch,channels}){this.height=height,this.width=width,this.side=patch,this.channels=
channels,this.columns=width/patch,this.count=height/patch*this.columns}mean(pixels){let area2=this.height*this.width,made=new Float32Array(
pixels.length);for(let channel=0;channel<this.channels;channel++){let[from,to]=[channel*area2,(channel+1)*area2];made.fill(pixels.
subarray(from,to).reduce((a,b)=>a+b,0)/area2,from,to)}return made}mixed(pixels,other,isOther){let{side,columns,width}=this,made=pixels.
slice();for(let patch=0;patch<this.count;patch++){if(!isOther(patch))continue;let first=Math.floor(patch/columns)*side*width+patch%
columns*side;for(let channel=0;channel<this.channels;channel++)for(let y=0;y<side;y++){let from=channel*this.height*width+first+y*
width;made.set(other.subarray(from,from+side),from)}}return made}};function even(value){let low=Math.floor(value),rest=value-low;return rest>.5||rest===.5&&low%2!==0?low+1:low}function*curves({net,pixels,target},scores,shares2=FINE){if(!scores.every(Number.isFinite))throw new Refused("networkNoNumbers");let patches=new Patches(
net.header),order=Array.from(scores.keys()).sort((a,b)=>scores[b]-scores[a]),rank=new Int32Array(order.length);order.forEach((patch,i)=>rank[patch]=
i);let chosen=countsOf(shares2,order.length),nothing=patches.mean(pixels),measured=picture=>probabilities(net.forward(picture).logits,
net.header.activation)[target],[deletion,insertion]=[[],[]],total=2*chosen.length-2,done=0;for(let count of chosen){let isFirst=patch=>rank[patch]<
count;yield done++/total,deletion.push(measured(patches.mixed(pixels,nothing,isFirst))),!(count===0||count===order.length)&&(yield done++/
total,insertion.push(measured(patches.mixed(nothing,pixels,isFirst))))}return{share:chosen.map(count=>count/order.length),deletion,
insertion:[deletion.at(-1),...insertion,deletion[0]]}}var countsOf=(shares2,patches)=>[...new Set(shares2.map(share=>even(share*patches)))];
function coarseOf(patches){let shares2=countsOf(FINE,patches).map(count=>count/patches);return coarse(shares2).map(at=>shares2[at])}
function coarse(shares2){let kept=[0];for(let i=1;i<shares2.length-1;i++)shares2[i]-shares2[kept.at(-1)]>=APART&&kept.push(i);return[
...kept,shares2.length-1]}function withAreas(found){let some=coarse(found.share),by=(which,at)=>area(at.map(i=>found.share[i]),at.
map(i=>found[which][i])),areas=at=>["deletion","insertion"].map(which=>by(which,at));return{...found,areas:areas([...found.share.keys()]),
coarse:areas(some)}}var area=(share,values)=>share.slice(1).reduce((sum,at,i)=>sum+(at-share[i])*(values[i+1]+values[i])/2,0);var countOf=({prefix,grid})=>prefix.length+grid[0]*grid[1],namedQueries=readout2=>[...new Set([readout2,"mean"])];function weightsOf(name,tokens,pool){
if(name==="pool"&&pool)return meanOf(pool,countOf(tokens));let weights=new Float32Array(countOf(tokens)),first=tokens.prefix.length;
if(name==="mean")return weights.fill(1/(weights.length-first),first);let parts2=name.split("+");for(let part3 of parts2){let token=tokens.
prefix.indexOf(part3);if(token<0)throw new Error(`${name} is none of the tokens ${tokens.prefix.join(", ")}`);weights[token]=1/parts2.
length}return weights}function meanOf(rows,count){let mean=new Float32Array(count);for(let i=0;i<rows.length;i++)mean[i%count]+=rows[i];
return mean.map(sum=>sum/(rows.length/count))}function layersOf({net,pixels}){let{layers}=net.forward(pixels);return layers.map(copied)}var copied=({q,k,v,lse,bias})=>({q:q.slice(),
k:k.slice(),v:v.slice(),lse:lse.slice(),bias}),shapeOf=net=>({heads:net.header.heads,tokens:net.tokens,width:net.header.headDim});
function readout({header,pool}){let tokens={prefix:header.prefix,grid:gridOf(header)};return weightsOf(namedQueries(header.readout)[0],
tokens,pool)}var gridOf=({size:[height,width],patch})=>[height/patch,width/patch];function mapsOf({net,headMap},{q,k,bias}){let{heads,
tokens,width}=shapeOf(net),maps=new Float32Array(heads*tokens*tokens),lse=new Float32Array(tokens);for(let head=0;head<heads;head++){
let[from,to]=[head*tokens*width,(head+1)*tokens*width],own=maps.subarray(head*tokens*tokens,(head+1)*tokens*tokens);headMap(q.subarray(
from,to),k.subarray(from,to),tokens,width,own,lse,bias?.(head))}return maps}var onPatches=(net,values)=>Float32Array.from(values).
subarray(net.header.prefix.length);function writer(net,layer){let{heads,tokens,width}=shapeOf(net),{dim,layerScale}=net.header,at=`blocks.${layer}`,weight=net.file.values(
`${at}.attn.proj.weight`,[dim,heads*width]),scale=layerScale?net.file.values(`${at}.ls1.gamma`,[dim]):new Float32Array(dim).fill(1),
bias=net.file.has(`${at}.attn.proj.bias`)?net.file.values(`${at}.attn.proj.bias`,[dim]):new Float32Array(dim);return{write:(v,token,into)=>{
for(let head=0;head<heads;head++){let from=(head*tokens+token)*width;for(let i=0;i<dim;i++){let sum=0;for(let c=0,w=(i*heads+head)*
width;c<width;c++,w++)sum+=weight[w]*v[from+c];into[head*dim+i]=sum*scale[i]}}},bias:bias.map((value,i)=>value*scale[i])}}function*alti(seen2){yield 0;let{net}=seen2,{heads,tokens}=shapeOf(net),{dim}=net.header,{layers,streams}=watched(seen2),shares2=Float64Array.
from(readout(net));for(let layer=layers.length-1;layer>=0;layer--){yield 1-(layer+1)/(layers.length+1);let maps=mapsOf(seen2,layers[layer]),
{write,bias}=writer(net,layer),vectors=new Float32Array(tokens*heads*dim);for(let key=0;key<tokens;key++)write(layers[layer].v,key,
vectors.subarray(key*heads*dim,(key+1)*heads*dim));let below=new Float64Array(tokens),moved=new Float32Array(tokens*dim);for(let query=0;query<
tokens;query++){if(!shares2[query])continue;moved.fill(0);for(let key=0,at=0;key<tokens;key++)for(let head=0;head<heads;head++){let weight=maps[(head*
tokens+query)*tokens+key];for(let i=key*dim;i<(key+1)*dim;i++,at++)moved[i]+=weight*vectors[at]}for(let i=0;i<dim;i++)moved[query*
dim+i]+=streams[layer][query*dim+i];let made=Float64Array.from(bias);for(let key=0,at=0;key<tokens;key++)for(let i=0;i<dim;i++,at++)
made[i]+=moved[at];let length=made.reduce((sum,value)=>sum+Math.abs(value),0),near=new Float64Array(tokens);for(let key=0,at=0;key<
tokens;key++){let left=0;for(let i=0;i<dim;i++,at++)left+=Math.abs(made[i]-moved[at]);near[key]=Math.max(0,length-left)}let whole2=near.
reduce((a,b)=>a+b,0);whole2>0&&near.forEach((value,key)=>below[key]+=shares2[query]*value/whole2)}shares2=below}return onPatches(net,
shares2)}function watched({net,pixels}){let pass=net.forward(pixels,{keep:!0}),layers=pass.layers.map(copied),left=layers.map((_,layer)=>pass.
tokens(layer).slice());return{layers,streams:[net.entering(pixels),...left]}}function*attention(seen2){yield 0;let{heads,tokens}=shapeOf(seen2.net),maps=mapsOf(seen2,layersOf(seen2).at(-1)),query=readout(seen2.
net),found=new Float64Array(tokens);for(let head=0;head<heads;head++)for(let i=0;i<tokens;i++){if(!query[i])continue;let from=(head*
tokens+i)*tokens;for(let j=0;j<tokens;j++)found[j]+=query[i]*maps[from+j]/heads}return onPatches(seen2.net,found)}var[POOL,SHIFT]=[4,16],MULTIPLIER=0x2360ed051fc65da44385df649fccf645n,[BITS64,BITS128]=[2n**64n-1n,2n**128n-1n],Pcg64=class{constructor(seed){
let[a,b,c,d]=seeds(seed);this.step=((c<<64n|d)<<1n|1n)&BITS128,this.state=0n,this.turn(),this.state=this.state+(a<<64n|b)&BITS128,
this.turn()}turn(){this.state=this.state*MULTIPLIER+this.step&BITS128}share(){this.turn();let mixed2=this.state>>64n^this.state&BITS64,
by=this.state>>122n,turned2=(mixed2>>by|mixed2<<(64n-by&63n))&BITS64;return Number(turned2>>11n)/2**53}};function seeds(seed){let constant=1135663077,
hashed=value=>(value^=constant,constant=Math.imul(constant,2468251765),value=Math.imul(value,constant),(value^value>>>SHIFT)>>>0),
mixed2=(one,other2)=>{let value=Math.imul(one,3389127133)-Math.imul(other2,1232336661);return(value^value>>>SHIFT)>>>0},pool=Array.
from({length:POOL},(_,i)=>hashed(i?0:seed));for(let from=0;from<POOL;from++)for(let to=0;to<POOL;to++)from!==to&&(pool[to]=mixed2(
pool[to],hashed(pool[from])));let other=2337405405,words=Array.from({length:2*POOL},(_,i)=>{let value=pool[i%POOL]^other;return other=
Math.imul(other,1492356589),value=Math.imul(value,other),BigInt((value^value>>>SHIFT)>>>0)});return[0,2,4,6].map(i=>words[i]|words[i+
1]<<32n)}function*random({net},{seed=0}={}){yield 0;let[rows,columns]=gridOf(net.header),generator=new Pcg64(seed);return Float64Array.from(
{length:rows*columns},()=>generator.share())}function*centre({net}){yield 0;let[rows,columns]=gridOf(net.header),off=(at,count)=>((at+
.5)/count*2-1)**2;return Float64Array.from({length:rows*columns},(_,i)=>Math.exp(-2*(off(Math.floor(i/columns),rows)+off(i%columns,
columns))))}function*occlusion({net,pixels,target}){let patches=new Patches(net.header),mean=patches.mean(pixels),whole2=net.forward(pixels).logits[target],
found=new Float32Array(patches.count);for(let patch=0;patch<patches.count;patch++){yield(patch+1)/(patches.count+1);let covered=patches.
mixed(pixels,mean,one=>one===patch);found[patch]=whole2-net.forward(covered).logits[target]}return found}var[LENGTH,APART2]=[624,397],Twister=class{constructor(seed){this.state=new Uint32Array(LENGTH),this.state[0]=seed%2**32;for(let i=1;i<
LENGTH;i++){let before2=this.state[i-1];this.state[i]=Math.imul(1812433253,before2^before2>>>30)+i}this.used=LENGTH}next(){this.used===
LENGTH&&this.turn();let bits2=this.state[this.used++];return bits2^=bits2>>>11,bits2^=bits2<<7&2636928640,bits2^=bits2<<15&4022730752,
(bits2^bits2>>>18)>>>0}turn(){let{state}=this;for(let i=0;i<LENGTH;i++){let bits2=state[i]&2147483648|state[(i+1)%LENGTH]&2147483647;
state[i]=state[(i+APART2)%LENGTH]^bits2>>>1^(bits2&1?2567483615:0)}this.used=0}share(){return(this.next()&16777215)/2**24}below(high){
return this.next()%high}};var[CELLS,KEEP]=[7,.5];function*rise({net,pixels,target},{masks=256,seed=0}={}){let{size,patch,channels,activation:activation2}=net.
header,[rows,columns]=gridOf(net.header),[height,width]=size,generator=new Twister(seed),total=new Float64Array(rows*columns),seen2=new Float32Array(
pixels.length);for(let start=0;start<masks;start+=RISE_AT_ONCE){let some=randomMasks(Math.min(RISE_AT_ONCE,masks-start),size,generator);
for(let[i,mask]of some.entries()){yield(start+i)/masks;for(let channel=0,at=0;channel<channels;channel++)for(let pixel=0;pixel<mask.
length;pixel++,at++)seen2[at]=pixels[at]*mask[pixel];let probability=probabilities(net.forward(seen2).logits,activation2)[target];
for(let y=0;y<height;y++)for(let x=0;x<width;x++){let one=Math.floor(y/patch)*columns+Math.floor(x/patch);total[one]+=probability*
mask[y*width+x]/patch**2}}}return Float32Array.from(total,sum=>sum/(masks*KEEP))}function randomMasks(count,[height,width],generator){
let side=CELLS+1,[tall,wide]=[height,width].map(one=>Math.ceil(one/CELLS)),coarse2=Array.from({length:count},()=>Float32Array.from(
{length:side*side},()=>+(generator.share()<KEEP))),down=coarse2.map(()=>generator.below(tall)),right=coarse2.map(()=>generator.below(
wide));return coarse2.map((cells,i)=>{let[ys,xs]=[between(height,tall,down[i]),between(width,wide,right[i])],mask=new Float32Array(
height*width);for(let y=0;y<height;y++)for(let x=0;x<width;x++){let[a,b]=[ys[y],xs[x]],row=at=>cells[at*side+b.low]*(1-b.share)+cells[at*
side+b.high]*b.share;mask[y*width+x]=row(a.low)*(1-a.share)+row(a.high)*a.share}return mask})}function between(length,cell,shift){
return Array.from({length},(_,i)=>{let at=Math.max(0,(i+shift+.5)/cell-.5),low=Math.min(Math.floor(at),CELLS);return{low,high:Math.
min(low+1,CELLS),share:at-low}})}function attended(layers,shape,queries,headMap,onMap){let{heads,tokens,width}=shape,map=new Float32Array((onMap?heads:1)*tokens*tokens),
[fused,lse]=[new Float32Array(tokens*tokens),new Float32Array(tokens)],flows=[],found=[];for(let layer=layers.length-1;layer>=0;layer--){
fused.fill(0);let rows=queries.map(()=>new Float32Array(heads*tokens));for(let head=0;head<heads;head++){let own=onMap?map.subarray(
head*tokens*tokens,(head+1)*tokens*tokens):map,part3=[head*tokens*width,(head+1)*tokens*width];headMap(layers[layer].q.subarray(...part3),
layers[layer].k.subarray(...part3),tokens,width,own,lse,layers[layer].bias?.(head));for(let i=0;i<fused.length;i++)fused[i]+=own[i];
queries.forEach((query,i)=>gather(query,own,tokens,rows[i].subarray(head*tokens,(head+1)*tokens)))}for(let i=0;i<fused.length;i++)
fused[i]/=heads;onMap?.(layer,map);let received=new Float32Array(tokens);gather(new Float32Array(tokens).fill(1/tokens),fused,tokens,
received),found.unshift({rows,received});let whole2=sums(fused,tokens);flows=[queries,...flows].map(flow=>flow.map(one=>through(one,
fused,whole2)))}let rollouts=queries.map((_,i)=>{let every=new Float32Array(layers.length*tokens);return flows.forEach((flow,layer)=>every.
set(flow[i],layer*tokens)),every});return{layers:found,rollouts}}function gather(weights,map,tokens,into){let made=new Float64Array(
tokens);for(let i=0;i<tokens;i++){let weight=weights[i];if(weight!==0)for(let j=0,at=i*tokens;j<tokens;j++,at++)made[j]+=weight*map[at]}
into.set(made)}function through(r,fused,whole2){let weights=r.map((value,i)=>value/whole2[i]),result=new Float32Array(r.length);return gather(
weights,fused,r.length,result),result.map((value,j)=>value+weights[j])}function sums(map,tokens){let whole2=new Float64Array(tokens).
fill(1);for(let i=0;i<tokens;i++)for(let j=0;j<tokens;j++)whole2[i]+=map[i*tokens+j];return whole2}function*rollout(seen2){yield 0;let layers=layersOf(seen2);yield .5;let[through2]=attended(layers,shapeOf(seen2.net),[readout(seen2.
net)],seen2.headMap).rollouts;return onPatches(seen2.net,through2.subarray(-seen2.net.tokens))}function*valueAttention(seen2){yield 0;let{net}=seen2,layers=layersOf(seen2),last=layers.length-1,lengths=lengthsOf(net,mapsOf(seen2,
layers[last]),gram(net,layers[last],last)),found=new Float64Array(net.tokens);return readout(net).forEach((weight,i)=>{weight&&lengths(
i).forEach((length,j)=>found[j]+=weight*length)}),onPatches(net,found)}function*valueRollout(seen2){yield 0;let{net}=seen2,layers=layersOf(
seen2),shares2=Float64Array.from(readout(net));for(let layer=layers.length-1;layer>=0;layer--){yield 1-(layer+1)/(layers.length+1);
let lengths=lengthsOf(net,mapsOf(seen2,layers[layer]),gram(net,layers[layer],layer)),below=new Float64Array(net.tokens);shares2.forEach(
(share,i)=>{if(!share)return;let row=lengths(i),total=row.reduce((a,b)=>a+b,0);below[i]+=total>0?SKIP_WEIGHT*share:share,total>0&&
row.forEach((length,j)=>below[j]+=(1-SKIP_WEIGHT)*share*length/total)}),shares2=below}return onPatches(net,shares2)}function lengthsOf(net,maps,products){
let{heads,tokens}=shapeOf(net);return query=>{let row=new Float64Array(tokens);for(let key=0;key<tokens;key++){let square=0;for(let h=0;h<
heads;h++)for(let g=0;g<heads;g++){let[one,other]=[h,g].map(head=>maps[(head*tokens+query)*tokens+key]);square+=one*other*products[(key*
heads+h)*heads+g]}row[key]=Math.sqrt(Math.max(0,square))}return row}}function gram(net,{v},layer){let{heads,tokens}=shapeOf(net),{
dim}=net.header,{write}=writer(net,layer),products=new Float64Array(tokens*heads*heads),written=new Float64Array(heads*dim);for(let key=0;key<
tokens;key++){write(v,key,written);for(let h=0;h<heads;h++)for(let g=0;g<=h;g++){let sum=0;for(let i=0;i<dim;i++)sum+=written[h*dim+
i]*written[g*dim+i];products[(key*heads+h)*heads+g]=products[(key*heads+g)*heads+h]=sum}}return products}var methods={attention,rollout,alti,value_attention:valueAttention,value_rollout:valueRollout,occlusion,rise,centre,random};var explaining={async classes(look){let{net}=await seen(look);return(function*(){yield 0;let{labels,activation:activation2}=net.header;
if(!labels.length||activation2==="none")return[];let shares2=probabilities(net.forward(look.pixels).logits,activation2);return labels.
map((label,i)=>[i,label,shares2[i]]).sort((a,b)=>b[2]-a[2])})()},async explain(look,{method,target,lesson}){return methods[method](
{...await seen(look,lesson),target},{})},async judge(look,{scores,target,lesson}){let work=curves({...await seen(look,lesson),target},
scores);return(function*(){return withAreas(yield*work)})()},async chance(look,{from,count,target,lesson}){let its={...await seen(
look,lesson),target},shares2=coarseOf(new Patches(its.net.header).count);return(function*(){let drawn=[];for(let i=0;i<count;i++){
let scores=yield*part(methods.random(its,{seed:from+i}),i,count,0);drawn.push(withAreas(yield*part(curves(its,scores,shares2),i,count,
1)))}return drawn})()}};async function seen(look,lesson){if(!look)throw new Refused("methodsGone");let{net,headMap}=await look.open();
return{net:lesson?taught(net,lesson):net,headMap,pixels:look.pixels}}function*part(work,i,count,weight){for(;;){let step=work.next();
if(step.done)return step.value;yield(i+weight*step.value)/count}}function frameOf(picture,input,scaled2,origin){return{picture,input,scale:[scaled2[0]/picture[0],scaled2[1]/picture[1]],origin}}function windowOf({
input,scale,origin}){let x=at=>(at+origin[1])/scale[1],y=at=>(at+origin[0])/scale[0];return[x(0),y(0),x(input[1]),y(input[0])]}function maskOf({
picture,input,scale,origin},mask){let at=axis=>Int32Array.from({length:input[axis]},(_,i)=>Math.floor((i+.5+origin[axis])/scale[axis])),
[rows,columns]=[at(0),at(1)],made=new Uint8Array(input[0]*input[1]);for(let y=0;y<input[0];y++)if(!(rows[y]<0||rows[y]>=picture[0]))
for(let x=0;x<input[1];x++)columns[x]<0||columns[x]>=picture[1]||(made[y*input[1]+x]=mask[rows[y]*picture[1]+columns[x]]);return made}var sinc=x=>x===0?1:Math.sin(x*Math.PI)/(x*Math.PI),bilinear=x=>Math.max(0,1-Math.abs(x));function bicubic(signed){let x=Math.abs(
signed);return x<1?(1.5*x-2.5)*x*x+1:x<2?(((x-5)*x+8)*x-4)*-.5:0}var lanczos=x=>x>=-3&&x<3?sinc(x)*sinc(x/3):0,KERNELS={bilinear:[
bilinear,1],bicubic:[bicubic,2],lanczos:[lanczos,3]};function resize(image,width,height,{filter="bicubic",box,part:part3}={}){let from=(box??
[0,0,image.width,image.height]).map(Math.fround),wanted=part3??[0,0,width,height];if(filter==="nearest")return nearest(image,width,
height,from,wanted);let across=coefficients(image.width,from[0],from[2],width,filter,wanted[0],wanted[2]),down=coefficients(image.
height,from[1],from[3],height,filter,wanted[1],wanted[3]),[top,bottom]=[down.first[0],down.first[down.count-1]+down.size[down.count-
1]];return vertical(horizontal(image,across,top,bottom),down,top)}function coefficients(inSize,in0,in1,outSize,filter,start,stop){
let[kernel,reach]=KERNELS[filter],scale=Math.fround(in1-in0)/outSize,stretch=Math.max(1,scale),support=reach*stretch,count=stop-start,
most2=Math.ceil(support)*2+1,[first,size,weights]=[new Int32Array(count),new Int32Array(count),new Int32Array(count*most2)],exact=new Float64Array(
most2);for(let place=0;place<count;place++){let centre2=in0+(place+start+.5)*scale,low=Math.max(0,Math.trunc(centre2-support+.5)),
n=Math.min(inSize,Math.trunc(centre2+support+.5))-low,sum=0;for(let i=0;i<n;i++)exact[i]=kernel((i+low-centre2+.5)*(1/stretch)),sum+=
exact[i];for(let i=0;i<n;i++){let weight=(sum===0?exact[i]:exact[i]/sum)*4194304;weights[place*most2+i]=Math.trunc(weight<0?weight-
.5:weight+.5)}first[place]=low,size[place]=n}return{first,size,weights,most:most2,count}}function horizontal({width,channels,data},{
first,size,weights,most:most2,count},top,bottom){let made=new Uint8Array((bottom-top)*count*channels),out=0;for(let y=top;y<bottom;y++)
for(let x=0;x<count;x++){let from=(y*width+first[x])*channels,[weight,n]=[x*most2,size[x]];if(channels===3){let[red,green,blue]=[2097152,
2097152,2097152];for(let i=0,at=from;i<n;i++,at+=3){let one=weights[weight+i];red+=data[at]*one,green+=data[at+1]*one,blue+=data[at+
2]*one}made[out++]=clipped(red),made[out++]=clipped(green),made[out++]=clipped(blue);continue}for(let channel=0;channel<channels;channel++){
let sum=2097152;for(let i=0;i<n;i++)sum+=data[from+i*channels+channel]*weights[weight+i];made[out++]=clipped(sum)}}return{width:count,
height:bottom-top,channels,data:made}}function vertical({width,channels,data},{first,size,weights,most:most2,count},top){let line=width*
channels,made=new Uint8Array(count*line),sums2=new Int32Array(line);for(let y=0;y<count;y++){sums2.fill(2097152);for(let i=0;i<size[y];i++){
let weight=weights[y*most2+i],from=(first[y]-top+i)*line;for(let x=0;x<line;x++)sums2[x]+=data[from+x]*weight}for(let x=0;x<line;x++)
made[y*line+x]=clipped(sums2[x])}return{width,height:count,channels,data:made}}function clipped(sum){let value=sum>>22;return value<
0?0:value>255?255:value}function nearest({width,height,channels,data},outWidth,outHeight,box,[left,top,right,bottom]){let columns=places(
width,box[0],box[2],outWidth),rows=places(height,box[1],box[3],outHeight),made=new Uint8Array((right-left)*(bottom-top)*channels),
out=0;for(let y=top;y<bottom;y++)for(let x=left;x<right;x++){let from=(rows[y]*width+columns[x])*channels;for(let channel=0;channel<
channels;channel++)made[out++]=data[from+channel]}return{width:right-left,height:bottom-top,channels,data:made}}function places(inSize,in0,in1,outSize){
let step=Math.fround(in1-in0)/outSize,found=new Int32Array(outSize),at=in0+step*.5;for(let place=0;place<outSize;place++,at+=step)
found[place]=Math.min(inSize-1,Math.trunc(at));return found}var LARGEST_RESIZED=2**24;function preprocess(picture,how,fit=how.fit){let scaled2=scaledSize(picture.height,picture.width,how,fit),
origin=[centred(scaled2[0],how.size[0]),centred(scaled2[1],how.size[1])],rgb={width:picture.width,height:picture.height,channels:3,
data:picture.data},seen2=windowOf2(how.mean.length===1?grey(rgb):rgb,how,scaled2,origin),{height,width}=picture;return{pixels:normalised(
seen2,how),frame:frameOf([height,width],how.size,scaled2,origin)}}function grey({width,height,data}){let made=new Uint8Array(width*
height);for(let i=0,at=0;i<made.length;i++,at+=3)made[i]=data[at]*19595+data[at+1]*38470+data[at+2]*7471+32768>>16;return{width,height,
channels:1,data:made}}function scaledSize(height,width,{size,crop,fit:own},fit){if(!FITS.includes(fit))throw new Error(`'${fit}' i\
s no way to bring a picture to a size.`);let kept=fit==="crop"||fit===own?crop:1,[targetH,targetW]=size.map(side=>Math.floor(side/
kept));if(fit==="squash")return[targetH,targetW];if(fit==="crop"&&targetH===targetW)return height<=width?[targetH,Math.trunc(targetH*
width/height)]:[Math.trunc(targetW*height/width),targetW];let ratios=[height/targetH,width/targetW],ratio=fit==="crop"?Math.min(...ratios):
Math.max(...ratios);return[Math.max(1,even(height/ratio)),Math.max(1,even(width/ratio))]}function centred(scaled2,size){return scaled2>=
size?even((scaled2-size)/2):-Math.floor((size-scaled2)/2)}function windowOf2(picture,{size:[height,width],mean,interpolation:filter},[
scaledH,scaledW],[top,left]){let[y0,y1]=[Math.max(top,0),Math.min(top+height,scaledH)],[x0,x1]=[Math.max(left,0),Math.min(left+width,
scaledW)],across=x=>x*picture.width/scaledW,down=y=>y*picture.height/scaledH,visible=scaledH*scaledW>LARGEST_RESIZED?resize(picture,
x1-x0,y1-y0,{filter,box:[across(x0),down(y0),across(x1),down(y1)]}):resize(picture,scaledW,scaledH,{filter,part:[x0,y0,x1,y1]}),channels=mean.
length,fill=Uint8Array.from(mean,value=>even(value*255)),made=new Uint8Array(height*width*channels);for(let i=0;i<made.length;i++)
made[i]=fill[i%channels];let line=(x1-x0)*channels;for(let y=y0;y<y1;y++)made.set(visible.data.subarray((y-y0)*line,(y-y0+1)*line),
((y-top)*width+x0-left)*channels);return{width,height,channels,data:made}}function normalised({width,height,channels,data},{mean,std}){
let pixels=new Float32Array(channels*height*width),table=new Float32Array(256);for(let channel=0;channel<channels;channel++){let[middle,
spread]=[Math.fround(mean[channel]),Math.fround(std[channel])];for(let value=0;value<256;value++)table[value]=Math.fround(Math.fround(
value/255)-middle)/spread;let start=channel*height*width;for(let i=0,at=channel;i<height*width;i++,at+=channels)pixels[start+i]=table[data[at]]}
return pixels}function glance(net,picture,fit,headMap){let{depth,heads,headDim,prefix,size,patch,readout:readout2}=net.header,{pixels,frame}=preprocess(
picture,net.header.preprocess,fit),begun=performance.now(),pass=net.forward(pixels),took=performance.now()-begun,tokens={prefix,grid:size.
map(side=>side/patch)},n=countOf(tokens),query=weightsOf(readout2,tokens,pass.pool),rows=new Float32Array(depth*heads*n),few=Array.
from(query.keys()).filter(token=>query[token]>0),attended2=few.length<n/4?byRows:byMaps(n,headMap);pass.layers.forEach((layer,l)=>{
for(let head=0;head<heads;head++){let from=(l*heads+head)*n;attended2(part2(layer,head,n,headDim),few,query,rows.subarray(from,from+
n))}});let[height,width]=frame.picture,[left,top,right,bottom]=windowOf(frame),window=[left/width,top/height,right/width,bottom/height];
return{rows,layers:depth,heads,tokens,window,query:readout2,took}}function part2({q,k,bias},head,n,width){let[from,to]=[head*n*width,
(head+1)*n*width];return{q:q.subarray(from,to),k:k.subarray(from,to),bias:bias?.(head),n,width}}function byRows({q,k,bias,n,width},few,query,row){
let scores=new Float64Array(n);for(let token of few){for(let j=0;j<n;j++){scores[j]=bias?bias[token*n+j]:0;for(let c=0,x=token*width,
y=j*width;c<width;c++)scores[j]+=q[x+c]*k[y+c]}let most2=Math.max(...scores);for(let j=0;j<n;j++)scores[j]=Math.exp(scores[j]-most2);
let sum=scores.reduce((all,one)=>all+one,0);for(let j=0;j<n;j++)row[j]+=query[token]*scores[j]/sum}}function byMaps(tokens,headMap){
let[map,sums2]=[new Float32Array(tokens*tokens),new Float32Array(tokens)];return({q,k,bias,n,width},few,query,row)=>{headMap(q,k,n,
width,map,sums2,bias);for(let token of few)for(let j=0;j<n;j++)row[j]+=query[token]*map[token*n+j]}}var kernels_default=__toBinary("AGFzbQEAAAABRghgBX9/f39/AGAGf39/f39/AGACf38AYAp/f39/f39/f39/AGAIf39/f39/f30AYAR/f319AGADf39/AGAHf3\
9/f39/fwACDwEDZW52Bm1lbW9yeQIAAAMNDAMAAAEEAQIFBgcCAAeDAQ0IbXVsdGlwbHkAAAxwYW5lbHNPZlJvd3MAAQ9wYW5lbHNPZkNvbHVtbnMAAgNjdXQAAwlsYXll\
ck5vcm0ABAdzb2Z0bWF4AAUEZ2VsdQAGBXN3aXNoAAcFdGltZXMACAZyb3RhdGUACQRyZWx1AAoHbGVuZ3RocwALBm1lbW9yeQIACp8kDIMNAhh7DX8gAUECdCEpIAZBAn\
QhKANAIAkgKkoEQP0MAAAAAAAAAAAAAAAAAAAAACEMIAMEeyADICpBAnRqIgH9AAQQIQwgAf0ABAAF/QwAAAAAAAAAAAAAAAAAAAAACyENIAIgKiAIQQJ0bGohAQJAIAdB\
BUgEQEEAISIDQCAHICJKBEAgACAiIClsaiEjIAEhBiANIQogDCELICIgKGwgKkECdGohJUEAISQDQCAIICRKBEAgCiAj/QkCACIOIAb9AAQA/eYB/eQBIQogCyAOIAb9AA\
QQ/eYB/eQBIQsgI0EEaiEjIAZBIGohBiAkQQFqISQMAQsLIAUgJWoiIyAEICVqQQAgBBsiBgR7IAsgBv0ABBD95AEhCyAKIAb9AAQA/eQBBSAKC/0LBAAgIyAL/QsEECAi\
QQFqISIMAQsLDAELQQAhKyAoQQAgBBshLCAHQQVrIS0DQCAoICtsICpBAnRqIS4gKSApICkgKSAAICkgK2xqIiNqIiRqIiVqIiZqIScgASEGIA0iCiEUIAwiCyEVIAohEC\
ALIREgCiIOIRIgCyIPIRMgCCEiA0AgIkEETgRAIAogI/0JAgAiFiAG/QAEACIX/eYB/eQBICP9CQIEIhggBv0ABCAiGf3mAf3kASAj/QkCCCIaIAb9AARAIhv95gH95AEg\
I/0JAgwiHCAG/QAEYCId/eYB/eQBIQogCyAWIAb9AAQQIhb95gH95AEgGCAG/QAEMCIY/eYB/eQBIBogBv0ABFAiGv3mAf3kASAcIAb9AARwIhz95gH95AEhCyAUICT9CQ\
IAIh4gF/3mAf3kASAk/QkCBCIfIBn95gH95AEgJP0JAggiICAb/eYB/eQBICT9CQIMIiEgHf3mAf3kASEUIBUgHiAW/eYB/eQBIB8gGP3mAf3kASAgIBr95gH95AEgISAc\
/eYB/eQBIRUgDiAl/QkCACIeIBf95gH95AEgJf0JAgQiHyAZ/eYB/eQBICX9CQIIIiAgG/3mAf3kASAl/QkCDCIhIB395gH95AEhDiAPIB4gFv3mAf3kASAfIBj95gH95A\
EgICAa/eYB/eQBICEgHP3mAf3kASEPIBAgJv0JAgAiHiAX/eYB/eQBICb9CQIEIh8gGf3mAf3kASAm/QkCCCIgIBv95gH95AEgJv0JAgwiISAd/eYB/eQBIRAgESAeIBb9\
5gH95AEgHyAY/eYB/eQBICAgGv3mAf3kASAhIBz95gH95AEhESASICf9CQIAIh4gF/3mAf3kASAn/QkCBCIXIBn95gH95AEgJ/0JAggiGSAb/eYB/eQBICf9CQIMIhsgHf\
3mAf3kASESIBMgHiAW/eYB/eQBIBcgGP3mAf3kASAZIBr95gH95AEgGyAc/eYB/eQBIRMgI0EQaiEjICRBEGohJCAlQRBqISUgJkEQaiEmICdBEGohJyAGQYABaiEGICJB\
BGshIgwBCwsDQCAiQQBKBEAgCiAj/QkCACIWIAb9AAQAIhf95gH95AEhCiALIBYgBv0ABBAiFv3mAf3kASELIBQgJP0JAgAiGCAX/eYB/eQBIRQgFSAYIBb95gH95AEhFS\
AOICX9CQIAIhggF/3mAf3kASEOIA8gGCAW/eYB/eQBIQ8gECAm/QkCACIYIBf95gH95AEhECARIBggFv3mAf3kASERIBIgJ/0JAgAiGCAX/eYB/eQBIRIgEyAYIBb95gH9\
5AEhEyAjQQRqISMgJEEEaiEkICVBBGohJSAmQQRqISYgJ0EEaiEnIAZBIGohBiAiQQFrISIMAQsLIAUgLmoiBiAEIC5qQQAgBBsiIgR7IAsgIv0ABBD95AEhCyAKICL9AA\
QA/eQBBSAKC/0LBAAgBiAL/QsEECAGIChqIgYgIiAsaiIiBHsgFSAi/QAEEP3kASEVIBQgIv0ABAD95AEFIBQL/QsEACAGIBX9CwQQIAYgKGoiBiAiICxqIiIEeyAPICL9\
AAQQ/eQBIQ8gDiAi/QAEAP3kAQUgDgv9CwQAIAYgD/0LBBAgBiAoaiIGICIgLGoiIgR7IBEgIv0ABBD95AEhESAQICL9AAQA/eQBBSAQC/0LBAAgBiAR/QsEECAGIChqIg\
YgIiAsaiIiBHsgEyAi/QAEEP3kASETIBIgIv0ABAD95AEFIBIL/QsEACAGIBP9CwQQICsgLUcEQCArQQVqIgYgLSAGIC1IGyErDAELCwsgKkEIaiEqDAELCwufAQEGfwNA\
IAMgBkoEQEEIIAMgBmsiBSAFQQhKGyEKQQAhBQNAIAVBCEgEQCAAIAUgBmogAWxBAnRqIQggAiAEIAZsIAVqQQJ0aiEHQQAhCQNAIAQgCUoEQCAHIAUgCkgEfSAIKgIABU\
MAAAAACzgCACAIQQRqIQggB0EgaiEHIAlBAWohCQwBCwsgBUEBaiEFDAELCyAGQQhqIQYMAQsLC2MBA38DQCAEIAZKBEAgACAGQQJ0aiEFQQAhBwNAIAMgB0oEQCACIAX9\
AAQA/QsEACACIAX9AAQQ/QsEECACQSBqIQIgBSABQQJ0aiEFIAdBAWohBwwBCwsgBkEIaiEGDAELCwuLAQEFfwNAIAMgCUoEQEEAIQYDQCAEIAZKBEBBACEHA0AgAiAHSg\
RAQQAhCANAIAUgCEoEQCABIAAgAyAHbCAJaiAIaiAEbCAGakECdGogBUECdCIK/AoAACABIApqIQEgCEEBaiEIDAELCyAHQQFqIQcMAQsLIAUgBmohBgwBCwsgBSAJaiEJ\
DAELCwuFBAMGfwJ7An0gBkF8cSEJA0AgBSAMSgRAIAEgDGxBAnQiCCAAaiELIAQgCGohDf0MAAAAAAAAAAAAAAAAAAAAACEOQQAhCANAIAggCUgEQCAOIAsgCEECdGr9AA\
QA/eQBIQ4gCEEEaiEIDAELCyAO/R8AIA79HwGSIA79HwIgDv0fA5KSIRAgCSEIA0AgBiAISgRAIBAgCyAIQQJ0aioCAJIhECAIQQFqIQgMAQsLIBAgBrKVIhH9EyEP/QwA\
AAAAAAAAAAAAAAAAAAAAIQ5BACEIA0AgCCAJSARAIA4gCyAIQQJ0av0ABAAgD/3lASIOIA795gH95AEhDiAIQQRqIQgMAQsLIA79HwAgDv0fAZIgDv0fAiAO/R8DkpIhEC\
AJIQgDQCAGIAhKBEAgECALIAhBAnRqKgIAIBGTIhAgEJSSIRAgCEEBaiEIDAELC0MAAIA/IBAgBrKVIAeSkZUiEP0TIQ5BACEIA0AgCCAJSARAIA0gCEECdCIKaiADIApq\
/QAEACAKIAtq/QAEACAP/eUBIA795gEgAiAKav0ABAD95gH95AH9CwQAIAhBBGohCAwBCwsgCSEIA0AgBiAISgRAIA0gCEECdCIKaiAKIAtqKgIAIBGTIBCUIAIgCmoqAg\
CUIAMgCmoqAgCSOAIAIAhBAWohCAwBCwsgDEEBaiEMDAELCwvcBAMEfwR7An0DQCACIAdKBEAgACABIAdsQQJ0aiEIIAMhBgNAIAEgBkoEQCAIIAZBAnRqQ8rySfE4AgAg\
BkEBaiEGDAELC/0MyvJJ8crySfHK8knxyvJJ8SEKQQAhBgNAIAEgBkoEQCAKIAggBkECdGr9AAQA/ekBIQogBkEEaiEGDAELCyAK/R8AIAr9HwGXIAr9HwIgCv0fA5eXIg\
79EyEL/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEGA0AgASAGSgRAIAggBkECdGoiCf0ABAAgC/3lAf0MO6q4PzuquD87qrg/O6q4P/3mAf0MAADIwgAAyMIAAMjCAADIwv3p\
ASIM/WohDSAJ/QwAAIA/AACAPwAAgD8AAIA//QwYcjE/GHIxPxhyMT8YcjE//Qzu/XU+7v11Pu79dT7u/XU+/Qx0V2M9dFdjPXRXYz10V2M9/Qymlh08ppYdPKaWHTymlh\
08/Qwpn686KZ+vOimfrzopn686/QyNzSA5jc0gOY3NIDmNzSA5IAwgDf3lASIM/eYB/eQBIAz95gH95AEgDP3mAf3kASAM/eYB/eQBIAz95gH95AEgDP3mAf3kASAN/fgB\
QRf9qwH9rgEiDP0LBAAgCiAM/eQBIQogBkEEaiEGDAELC0MAAIA/IAr9HwAgCv0fAZIgCv0fAiAK/R8DkpIiD5X9EyEKQQAhBgNAIAEgBkoEQCAIIAZBAnRqIgkgCf0ABA\
AgCv3mAf0LBAAgBkEEaiEGDAELCyAHQQJ0IgYgBGogDjgCACAFIAZqIA84AgAgB0EBaiEHDAELCwuTBAEEeyAAIAFBAnRqIQEDQCAAIAFJBED9DP7/f7/+/3+//v9/v/7/\
f7/9DJBXk7+QV5O/kFeTv5BXk7/9DJ8Y676fGOu+nxjrvp8Y6779DEx2V71Mdle9THZXvUx2V739DHZ37Dt2d+w7dnfsO3Z37Dv9DKPfhLmj34S5o9+EuaPfhLn9DM/LEL\
nPyxC5z8sQuc/LELn9DDGN9TcxjfU3MY31NzGN9Tf9DJWsBbaVrAW2lawFtpWsBbYgAP0ABAAiBP3gASIC/QwAAMBAAADAQAAAwEAAAMBA/egBIgP95gH95AEgA/3mAf3k\
ASAD/eYB/eQBIAP95gH95AEgA/3mAf3kASAD/eYB/eQBIAP95gH95AEgA/3mAf3kASID/WohBSAAIAT9DAAAAAAAAAAAAAAAAAAAAAD96QEgAv0MAACAPwAAgD8AAIA/AA\
CAP/0MGHIxPxhyMT8YcjE/GHIxP/0M7v11Pu79dT7u/XU+7v11Pv0MdFdjPXRXYz10V2M9dFdjPf0MppYdPKaWHTymlh08ppYdPP0MKZ+vOimfrzopn686KZ+vOv0Mjc0g\
OY3NIDmNzSA5jc0gOSADIAX95QEiAv3mAf3kASAC/eYB/eQBIAL95gH95AEgAv3mAf3kASAC/eYB/eQBIAL95gH95AEgBf34AUEX/asB/a4B/eYB/eUB/QsEACAAQRBqIQ\
AMAQsLC/ECAQV7IAL9EyEFIAP9EyEGIAAgAUECdGohAQNAIAAgAUkEQCAA/QAEACIIIAUgCCAI/eYBIAb95gH95AH95gH9DDuquL87qri/O6q4vzuquL/95gH9DAAA/EIA\
APxCAAD8QgAA/EL96AH9DAAA/MIAAPzCAAD8wgAA/ML96QEiB/1qIQQgACAI/QwAAIA/AACAPwAAgD8AAIA//QwAAIA/AACAPwAAgD8AAIA//QwYcjE/GHIxPxhyMT8Ycj\
E//Qzu/XU+7v11Pu79dT7u/XU+/Qx0V2M9dFdjPXRXYz10V2M9/Qymlh08ppYdPKaWHTymlh08/Qwpn686KZ+vOimfrzopn686/QyNzSA5jc0gOY3NIDmNzSA5IAcgBP3l\
ASIH/eYB/eQBIAf95gH95AEgB/3mAf3kASAH/eYB/eQBIAf95gH95AEgB/3mAf3kASAE/fgBQRf9qwH9rgH95AH95wH9CwQAIABBEGohAAwBCwsLPAAgACACQQJ0aiECA0\
AgACACSQRAIAAgAP0ABAAgAf0ABAD95gH9CwQAIABBEGohACABQRBqIQEMAQsLC80BAgV/An0gASAFa0ECdCEJQQRBCCAGGyELIAZBAnRBBCAGGyEHA0AgBCAISgRAQQAh\
AQNAIAEgBUgEQCAAIAAqAgAiDCACKgIAlCAAIAdqIgoqAgAiDSADKgIAlJM4AgAgCiANIAIgB2oqAgCUIAwgAyAHaioCAJSSOAIAIAFBAmohASAAIAtqIQAgAiALaiECIA\
MgC2ohAwwBCwsgBgRAIAZBAnQiASAAaiEAIAEgA2ohAyABIAJqIQILIAAgCWohACAIQQFqIQgMAQsLC0EAIAAgAUECdGohAQNAIAAgAUkEQCAAIAD9AAQA/QwAAAAAAAAA\
AAAAAAAAAAAA/ekB/QsEACAAQRBqIQAMAQsLC8oBAwR/AX0BeyAEQXxxIQYDQCADIAdKBEAgACABIAdsQQJ0aiEI/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEFA0AgBSAGSA\
RAIAogCCAFQQJ0av0ABAAiCiAK/eYB/eQBIQogBUEEaiEFDAELCyAK/R8AIAr9HwGSIAr9HwIgCv0fA5KSIQkgBiEFA0AgBCAFSgRAIAkgCCAFQQJ0aioCACIJIAmUkiEJ\
IAVBAWohBQwBCwsgAiAHQQJ0aiAJkTgCACAHQQFqIQcMAQsLCw==");var kernels_relaxed_default=__toBinary("AGFzbQEAAAABRghgBX9/f39/AGAGf39/f39/AGACf38AYAp/f39/f39/f39/AGAIf39/f39/f30AYAR/f319AGADf3\
9/AGAHf39/f39/fwACDwEDZW52Bm1lbW9yeQIAAAMNDAMAAAEEAQIFBgcCAAeDAQ0IbXVsdGlwbHkAAAxwYW5lbHNPZlJvd3MAAQ9wYW5lbHNPZkNvbHVtbnMAAgNjdXQA\
AwlsYXllck5vcm0ABAdzb2Z0bWF4AAUEZ2VsdQAGBXN3aXNoAAcFdGltZXMACAZyb3RhdGUACQRyZWx1AAoHbGVuZ3RocwALBm1lbW9yeQIACqkiDOcLAhh7DX8gAUECdC\
EpIAZBAnQhKANAIAkgKkoEQP0MAAAAAAAAAAAAAAAAAAAAACEMIAMEeyADICpBAnRqIgH9AAQQIQwgAf0ABAAF/QwAAAAAAAAAAAAAAAAAAAAACyENIAIgKiAIQQJ0bGoh\
AQJAIAdBBUgEQEEAISIDQCAHICJKBEAgACAiIClsaiEjIAEhBiANIQogDCELICIgKGwgKkECdGohJUEAISQDQCAIICRKBEAgI/0JAgAiDiAG/QAEACAK/YUCIQogDiAG/Q\
AEECAL/YUCIQsgI0EEaiEjIAZBIGohBiAkQQFqISQMAQsLIAUgJWoiIyAEICVqQQAgBBsiBgR7IAsgBv0ABBD95AEhCyAKIAb9AAQA/eQBBSAKC/0LBAAgIyAL/QsEECAi\
QQFqISIMAQsLDAELQQAhKyAoQQAgBBshLCAHQQVrIS0DQCAoICtsICpBAnRqIS4gKSApICkgKSAAICkgK2xqIiNqIiRqIiVqIiZqIScgASEGIA0iCiEUIAwiCyEVIAohEC\
ALIREgCiIOIRIgCyIPIRMgCCEiA0AgIkEETgRAICP9CQIMIhYgBv0ABGAiFyAj/QkCCCIYIAb9AARAIhkgI/0JAgQiGiAG/QAEICIbICP9CQIAIhwgBv0ABAAiHSAK/YUC\
/YUC/YUC/YUCIQogFiAG/QAEcCIWIBggBv0ABFAiGCAaIAb9AAQwIhogHCAG/QAEECIcIAv9hQL9hQL9hQL9hQIhCyAk/QkCDCIeIBcgJP0JAggiHyAZICT9CQIEIiAgGy\
Ak/QkCACIhIB0gFP2FAv2FAv2FAv2FAiEUIB4gFiAfIBggICAaICEgHCAV/YUC/YUC/YUC/YUCIRUgJf0JAgwiHiAXICX9CQIIIh8gGSAl/QkCBCIgIBsgJf0JAgAiISAd\
IA79hQL9hQL9hQL9hQIhDiAeIBYgHyAYICAgGiAhIBwgD/2FAv2FAv2FAv2FAiEPICb9CQIMIh4gFyAm/QkCCCIfIBkgJv0JAgQiICAbICb9CQIAIiEgHSAQ/YUC/YUC/Y\
UC/YUCIRAgHiAWIB8gGCAgIBogISAcIBH9hQL9hQL9hQL9hQIhESAn/QkCDCIeIBcgJ/0JAggiFyAZICf9CQIEIhkgGyAn/QkCACIbIB0gEv2FAv2FAv2FAv2FAiESIB4g\
FiAXIBggGSAaIBsgHCAT/YUC/YUC/YUC/YUCIRMgI0EQaiEjICRBEGohJCAlQRBqISUgJkEQaiEmICdBEGohJyAGQYABaiEGICJBBGshIgwBCwsDQCAiQQBKBEAgI/0JAg\
AiFiAG/QAEACIXIAr9hQIhCiAWIAb9AAQQIhYgC/2FAiELICT9CQIAIhggFyAU/YUCIRQgGCAWIBX9hQIhFSAl/QkCACIYIBcgDv2FAiEOIBggFiAP/YUCIQ8gJv0JAgAi\
GCAXIBD9hQIhECAYIBYgEf2FAiERICf9CQIAIhggFyAS/YUCIRIgGCAWIBP9hQIhEyAjQQRqISMgJEEEaiEkICVBBGohJSAmQQRqISYgJ0EEaiEnIAZBIGohBiAiQQFrIS\
IMAQsLIAUgLmoiBiAEIC5qQQAgBBsiIgR7IAsgIv0ABBD95AEhCyAKICL9AAQA/eQBBSAKC/0LBAAgBiAL/QsEECAGIChqIgYgIiAsaiIiBHsgFSAi/QAEEP3kASEVIBQg\
Iv0ABAD95AEFIBQL/QsEACAGIBX9CwQQIAYgKGoiBiAiICxqIiIEeyAPICL9AAQQ/eQBIQ8gDiAi/QAEAP3kAQUgDgv9CwQAIAYgD/0LBBAgBiAoaiIGICIgLGoiIgR7IB\
EgIv0ABBD95AEhESAQICL9AAQA/eQBBSAQC/0LBAAgBiAR/QsEECAGIChqIgYgIiAsaiIiBHsgEyAi/QAEEP3kASETIBIgIv0ABAD95AEFIBIL/QsEACAGIBP9CwQQICsg\
LUcEQCArQQVqIgYgLSAGIC1IGyErDAELCwsgKkEIaiEqDAELCwufAQEGfwNAIAMgBkoEQEEIIAMgBmsiBSAFQQhKGyEKQQAhBQNAIAVBCEgEQCAAIAUgBmogAWxBAnRqIQ\
ggAiAEIAZsIAVqQQJ0aiEHQQAhCQNAIAQgCUoEQCAHIAUgCkgEfSAIKgIABUMAAAAACzgCACAIQQRqIQggB0EgaiEHIAlBAWohCQwBCwsgBUEBaiEFDAELCyAGQQhqIQYM\
AQsLC2MBA38DQCAEIAZKBEAgACAGQQJ0aiEFQQAhBwNAIAMgB0oEQCACIAX9AAQA/QsEACACIAX9AAQQ/QsEECACQSBqIQIgBSABQQJ0aiEFIAdBAWohBwwBCwsgBkEIai\
EGDAELCwuLAQEFfwNAIAMgCUoEQEEAIQYDQCAEIAZKBEBBACEHA0AgAiAHSgRAQQAhCANAIAUgCEoEQCABIAAgAyAHbCAJaiAIaiAEbCAGakECdGogBUECdCIK/AoAACAB\
IApqIQEgCEEBaiEIDAELCyAHQQFqIQcMAQsLIAUgBmohBgwBCwsgBSAJaiEJDAELCwv/AwMGfwN7An0gBkF8cSEJA0AgBSAMSgRAIAEgDGxBAnQiCCAAaiELIAQgCGohDf\
0MAAAAAAAAAAAAAAAAAAAAACEPQQAhCANAIAggCUgEQCAPIAsgCEECdGr9AAQA/eQBIQ8gCEEEaiEIDAELCyAP/R8AIA/9HwGSIA/9HwIgD/0fA5KSIREgCSEIA0AgBiAI\
SgRAIBEgCyAIQQJ0aioCAJIhESAIQQFqIQgMAQsLIBEgBrKVIhL9EyEQ/QwAAAAAAAAAAAAAAAAAAAAAIQ9BACEIA0AgCCAJSARAIAsgCEECdGr9AAQAIBD95QEiDiAOIA\
/9hQIhDyAIQQRqIQgMAQsLIA/9HwAgD/0fAZIgD/0fAiAP/R8DkpIhESAJIQgDQCAGIAhKBEAgESALIAhBAnRqKgIAIBKTIhEgEZSSIREgCEEBaiEIDAELC0MAAIA/IBEg\
BrKVIAeSkZUiEf0TIQ5BACEIA0AgCCAJSARAIA0gCEECdCIKaiAKIAtq/QAEACAQ/eUBIA795gEgAiAKav0ABAAgAyAKav0ABAD9hQL9CwQAIAhBBGohCAwBCwsgCSEIA0\
AgBiAISgRAIA0gCEECdCIKaiAKIAtqKgIAIBKTIBGUIAIgCmoqAgCUIAMgCmoqAgCSOAIAIAhBAWohCAwBCwsgDEEBaiEMDAELCwvKBAMEfwR7An0DQCACIAdKBEAgACAB\
IAdsQQJ0aiEIIAMhBgNAIAEgBkoEQCAIIAZBAnRqQ8rySfE4AgAgBkEBaiEGDAELC/0MyvJJ8crySfHK8knxyvJJ8SEKQQAhBgNAIAEgBkoEQCAKIAggBkECdGr9AAQA/e\
kBIQogBkEEaiEGDAELCyAK/R8AIAr9HwGXIAr9HwIgCv0fA5eXIg79EyEL/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEGA0AgASAGSgRAIAggBkECdGoiCf0ABAAgC/3lAf0M\
O6q4PzuquD87qrg/O6q4P/3mAf0MAADIwgAAyMIAAMjCAADIwv3pASIM/WohDSAJ/QyNzSA5jc0gOY3NIDmNzSA5IAwgDf3lASIM/Qwpn686KZ+vOimfrzopn686/YUCIA\
z9DKaWHTymlh08ppYdPKaWHTz9hQIgDP0MdFdjPXRXYz10V2M9dFdjPf2FAiAM/Qzu/XU+7v11Pu79dT7u/XU+/YUCIAz9DBhyMT8YcjE/GHIxPxhyMT/9hQIgDP0MAACA\
PwAAgD8AAIA/AACAP/2FAiAN/fgBQRf9qwH9rgEiDP0LBAAgCiAM/eQBIQogBkEEaiEGDAELC0MAAIA/IAr9HwAgCv0fAZIgCv0fAiAK/R8DkpIiD5X9EyEKQQAhBgNAIA\
EgBkoEQCAIIAZBAnRqIgkgCf0ABAAgCv3mAf0LBAAgBkEEaiEGDAELCyAHQQJ0IgYgBGogDjgCACAFIAZqIA84AgAgB0EBaiEHDAELCwvpAwEEeyAAIAFBAnRqIQEDQCAA\
IAFJBED9DJWsBbaVrAW2lawFtpWsBbYgAP0ABAAiBP3gASIC/QwAAMBAAADAQAAAwEAAAMBA/egBIgP9DDGN9TcxjfU3MY31NzGN9Tf9hQIgA/0Mz8sQuc/LELnPyxC5z8\
sQuf2FAiAD/Qyj34S5o9+EuaPfhLmj34S5/YUCIAP9DHZ37Dt2d+w7dnfsO3Z37Dv9hQIgA/0MTHZXvUx2V71Mdle9THZXvf2FAiAD/QyfGOu+nxjrvp8Y676fGOu+/YUC\
IAP9DJBXk7+QV5O/kFeTv5BXk7/9hQIgA/0M/v9/v/7/f7/+/3+//v9/v/2FAiID/WohBSAAIAT9DAAAAAAAAAAAAAAAAAAAAAD96QEgAv0Mjc0gOY3NIDmNzSA5jc0gOS\
ADIAX95QEiAv0MKZ+vOimfrzopn686KZ+vOv2FAiAC/Qymlh08ppYdPKaWHTymlh08/YUCIAL9DHRXYz10V2M9dFdjPXRXYz39hQIgAv0M7v11Pu79dT7u/XU+7v11Pv2F\
AiAC/QwYcjE/GHIxPxhyMT8YcjE//YUCIAL9DAAAgD8AAIA/AACAPwAAgD/9hQIgBf34AUEX/asB/a4B/eYB/eUB/QsEACAAQRBqIQAMAQsLC9wCAQV7IAL9EyEFIAP9Ey\
EGIAAgAUECdGohAQNAIAAgAUkEQCAA/QAEACIIIAggCP3mASAGIAX9hQL95gH9DDuquL87qri/O6q4vzuquL/95gH9DAAA/EIAAPxCAAD8QgAA/EL96AH9DAAA/MIAAPzC\
AAD8wgAA/ML96QEiB/1qIQQgACAI/QwAAIA/AACAPwAAgD8AAIA//QyNzSA5jc0gOY3NIDmNzSA5IAcgBP3lASIH/Qwpn686KZ+vOimfrzopn686/YUCIAf9DKaWHTymlh\
08ppYdPKaWHTz9hQIgB/0MdFdjPXRXYz10V2M9dFdjPf2FAiAH/Qzu/XU+7v11Pu79dT7u/XU+/YUCIAf9DBhyMT8YcjE/GHIxPxhyMT/9hQIgB/0MAACAPwAAgD8AAIA/\
AACAP/2FAiAE/fgBQRf9qwH9rgH95AH95wH9CwQAIABBEGohAAwBCwsLPAAgACACQQJ0aiECA0AgACACSQRAIAAgAP0ABAAgAf0ABAD95gH9CwQAIABBEGohACABQRBqIQ\
EMAQsLC80BAgV/An0gASAFa0ECdCEJQQRBCCAGGyELIAZBAnRBBCAGGyEHA0AgBCAISgRAQQAhAQNAIAEgBUgEQCAAIAAqAgAiDCACKgIAlCAAIAdqIgoqAgAiDSADKgIA\
lJM4AgAgCiANIAIgB2oqAgCUIAwgAyAHaioCAJSSOAIAIAFBAmohASAAIAtqIQAgAiALaiECIAMgC2ohAwwBCwsgBgRAIAZBAnQiASAAaiEAIAEgA2ohAyABIAJqIQILIA\
AgCWohACAIQQFqIQgMAQsLC0EAIAAgAUECdGohAQNAIAAgAUkEQCAAIAD9AAQA/QwAAAAAAAAAAAAAAAAAAAAA/ekB/QsEACAAQRBqIQAMAQsLC8cBAwR/AX0CeyAEQXxx\
IQYDQCADIAdKBEAgACABIAdsQQJ0aiEI/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEFA0AgBSAGSARAIAggBUECdGr9AAQAIgsgCyAK/YUCIQogBUEEaiEFDAELCyAK/R8AIA\
r9HwGSIAr9HwIgCv0fA5KSIQkgBiEFA0AgBCAFSgRAIAkgCCAFQQJ0aioCACIJIAmUkiEJIAVBAWohBQwBCwsgAiAHQQJ0aiAJkTgCACAHQQFqIQcMAQsLCw==");var PAGE=65536,MEGA=2**20,LINE=64,up=(n,multiple)=>Math.ceil(n/multiple)*multiple,Memory=class{constructor(){this.top=LINE,this.fills=
[]}take(count,fill){let address=this.top;return this.top+=up(4*count,LINE),fill&&this.fills.push([address,count,fill]),address}open(limit){
if(this.top>limit)throw new Refused("networkTooLarge",{needed:Math.ceil(this.top/MEGA),limit:Math.floor(limit/MEGA)});let pages=Math.
ceil(this.top/PAGE),memory=new WebAssembly.Memory({initial:pages,maximum:pages});for(let[address,count,fill]of this.fills)fill(new Float32Array(
memory.buffer,address,count));return this.fills=[],memory}};var LIMIT=2**30;async function fastHeadMap(wasm,tokens,width){let room=new Memory,[ld,keys]=[up(width,8),up(tokens,8)],at={q:room.
take(tokens*ld),k:room.take(tokens*ld),columns:room.take(keys*ld),scores:room.take(tokens*keys),largest:room.take(tokens),sums:room.
take(tokens)},memory=room.open(LIMIT),{instance}=await WebAssembly.instantiate(wasm,{env:{memory}}),kernels=instance.exports,floats=new Float32Array(
memory.buffer),give=(values,address)=>{for(let i=0;i<tokens;i++)floats.set(values.subarray(i*width,(i+1)*width),(address>>2)+i*ld)};
return(q,k,_tokens,_width,map,lse,bias)=>{if(give(q,at.q),give(k,at.k),kernels.panelsOfRows(at.k,ld,at.columns,tokens,ld),kernels.
multiply(at.q,ld,at.columns,0,0,at.scores,keys,tokens,ld,keys),bias)for(let i=0;i<bias.length;i++)floats[(at.scores>>2)+Math.floor(
i/tokens)*keys+i%tokens]+=bias[i];kernels.softmax(at.scores,keys,tokens,tokens,at.largest,at.sums);for(let i=0,from=at.scores>>2;i<
tokens;i++,from+=keys)map.set(floats.subarray(from,from+tokens),i*tokens),lse[i]=floats[(at.largest>>2)+i]+Math.log(floats[(at.sums>>
2)+i])}}var ROOT=Math.sqrt(2/Math.PI),ACTS={gelu:(kernels,at,count)=>kernels.gelu(at,count),gelu_tanh:(kernels,at,count)=>kernels.swish(at,
count,2*ROOT,2*ROOT*.044715),quick_gelu:(kernels,at,count)=>kernels.swish(at,count,1.702,0),silu:(kernels,at,count)=>kernels.swish(
at,count,1,0),relu:(kernels,at,count)=>kernels.relu(at,count)};function activation(name){if(!Object.hasOwn(ACTS,name))throw new Refused(
"networkKind",{kind:String(name)});return ACTS[name]}function between2({hidden,gated},tokens,room){let count=tokens*up(hidden,8);return{z:room.take(count),gate:gated?room.take(count):
0}}var Mlp=class{constructor(at,dim,{hidden,act,gated=!1,mlpNorm=!1},weights,rooms,gammas=null){let half=Array.from({length:up(hidden,
8)},(_,i)=>i<hidden?i:-1),rows=gated?[...half,...half.map(row=>row<0?-1:hidden+row)]:void 0;this.act=activation(act),this.hidden=hidden,
this.ld=half.length,this.rooms=rooms,this.gated=gated,this.fc1=weights.linear(`${at}.fc1`,[gated?2*hidden:hidden,dim],{rows}),this.
norm=mlpNorm?weights.norm(`${at}.norm`,hidden):null,this.fc2=weights.linear(`${at}.fc2`,[dim,hidden],{factor:i=>gammas?.[i]??1})}run(kernels,from,ld,residual,to,tokens,eps){
let{fc1,fc2,norm,rooms,hidden}=this,{z,gate}=rooms,N=this.ld,made=(part3,at)=>{let bias=fc1.bias&&fc1.bias+4*part3*N;kernels.multiply(
from,ld,fc1.b+4*part3*N*fc1.K,bias,0,at,N,tokens,fc1.K,N)};this.gated?(made(0,gate),made(1,z),this.act(kernels,gate,tokens*N),kernels.
times(z,gate,tokens*N)):(made(0,z),this.act(kernels,z,tokens*N)),norm&&kernels.layerNorm(z,N,norm.weight,norm.bias,z,tokens,hidden,
eps),kernels.multiply(z,N,fc2.b,fc2.bias,residual,to,ld,tokens,fc2.K,fc2.N)}};var Weights=class{constructor(file,room){this.file=file,this.room=room}vector(name,count,factor=1){return this.room.take(up(count,
8),to=>{let values=this.file.values(name,[count]);for(let i=0;i<count;i++)to[i]=values[i]*factor})}norm(name,count,factor=1){return{
weight:this.vector(`${name}.weight`,count,factor),bias:this.vector(`${name}.bias`,count,factor),D:count}}linear(name,shape,how={}){
let bias=this.file.has(`${name}.bias`)?this.padded(`${name}.bias`,shape[0],how):0;return{...this.matrix(`${name}.weight`,shape,how),
bias}}padded(name,outputs,{rows=inOrder(outputs),factor=()=>1}){return this.room.take(up(rows.length,8),to=>{let values=this.file.
values(name,[outputs]);rows.forEach((row,n)=>row>=0&&(to[n]=values[row]*factor(row)))})}matrix(name,shape,how={}){let outputs=shape[0],
inputs=shape.slice(1).reduce((a,b)=>a*b,1);return this.panels(()=>this.file.values(name,shape),outputs,inputs,how)}panels(read2,outputs,inputs,how={}){
let{rows=inOrder(outputs),columns=inOrder(inputs),factor=()=>1}=how,[N,K]=[up(rows.length,8),columns.length];return{b:this.room.take(
N*K,to=>{let values=read2();rows.forEach((row,n)=>{if(row<0)return;let scale=factor(row),at=(n>>3)*K*8+(n&7);for(let k=0;k<K;k++,at+=
8)columns[k]>=0&&(to[at]=values[row*inputs+columns[k]]*scale)})}),bias:0,K,N}}},inOrder=count=>Array.from({length:count},(_,i)=>i),
inRooms=(heads,width,room)=>Array.from({length:heads*room},(_,i)=>i%room<width?Math.floor(i/room)*width+i%room:-1);var Pooling=class{constructor({dim,eps,prefix,pooling},weights,tokens){let{heads,headDim}=pooling,{room}=weights,inner=heads*headDim,
rooms=inRooms(heads,headDim,up(headDim,8));this.eps=eps,this.dim=dim,this.ld=up(dim,8),this.heads=heads,this.width=up(headDim,8),this.
tokens=tokens,this.first=pooling.prefix?0:prefix.length,this.count=tokens-this.first,this.keys=up(this.count,8),this.query=room.take(
rooms.length,to=>{let values=weights.file.values("attn_pool.query",[inner]);rooms.forEach((from,i)=>from>=0&&(to[i]=values[from]*headDim**
-.5))}),this.kv=weights.linear("attn_pool.kv",[2*inner,dim],{rows:[0,1].flatMap(i=>rooms.map(row=>row<0?-1:i*inner+row))}),this.proj=
weights.linear("attn_pool.proj",[dim,inner],{columns:rooms}),this.norm=weights.norm("attn_pool.norm",dim),this.mlp=new Mlp("attn_p\
ool.mlp",dim,pooling,weights,between2(pooling,1,room)),this.made=room.take(this.count*this.width),this.panels=room.take(this.keys*
this.width),this.scores=room.take(this.keys),this.largest=room.take(8),this.sums=room.take(8),this.taken=room.take(heads*this.width),
this.out=room.take(this.ld),this.normed=room.take(this.ld),this.maps=new Float32Array(heads*tokens)}run(kernels,floats,tokens){let{
heads,width,keys,first,count,kv,made,panels,scores,taken,proj,norm,out,normed,ld}=this,into=(part3,head)=>{let column=(part3*heads+
head)*width,bias=kv.bias&&kv.bias+4*column;kernels.multiply(tokens+4*first*ld,ld,kv.b+4*column*kv.K,bias,0,made,width,count,kv.K,width)};
for(let head=0;head<heads;head++)into(0,head),kernels.panelsOfRows(made,width,panels,count,width),kernels.multiply(this.query+4*head*
width,width,panels,0,0,scores,keys,1,width,keys),kernels.softmax(scores,keys,1,count,this.largest,this.sums),this.maps.set(floats.
subarray(scores>>2,(scores>>2)+count),head*this.tokens+first),into(1,head),kernels.panelsOfColumns(made,width,panels,count,width),
kernels.multiply(scores,keys,panels,0,0,taken+4*head*width,width,1,count,width);kernels.multiply(taken,proj.K,proj.b,proj.bias,0,out,
ld,1,proj.K,proj.N),kernels.layerNorm(out,ld,norm.weight,norm.bias,normed,1,this.dim,this.eps),this.mlp.run(kernels,normed,ld,out,
tokens,1,this.eps)}};var Readout=class{constructor(header,weights,tokens){let{dim,eps,pool,prefix}=header,{file,room}=weights;this.dim=dim,this.ld=up(dim,
8),this.eps=eps,this.pool=pool,this.first=prefix.length,this.norm=file.has("norm.weight")?weights.norm("norm",dim):null,this.afterPool=
file.has("fc_norm.weight")?weights.norm("fc_norm",dim):null,this.pooling=header.pooling?new Pooling(header,weights,tokens):null,this.
classes=header.classes||dim;let shape=[header.classes,dim];this.heads=header.classes?[weights.linear("head",shape)]:[null],header.
distilled&&this.heads.push(header.classes?weights.linear("head_dist",shape):null),this.logits=room.take(up(this.classes,8))}run({kernels,
floats},x,y,tokens){let{ld,dim,eps,pool}=this,normed=(norm,from,to,rows2)=>kernels.layerNorm(from,ld,norm.weight,norm.bias,to,rows2,
dim,eps),rows=pool==="token"?this.heads.length:tokens;this.norm?normed(this.norm,x,y,rows):floats.copyWithin(y>>2,x>>2,(x>>2)+rows*
ld),pool==="avg"&&this.average(floats,y,tokens),this.pooling?.run(kernels,floats,y),this.afterPool&&normed(this.afterPool,y,y,1);let found=new Float32Array(
this.classes);return this.heads.forEach((head,i)=>{let logits=this.classified({kernels,floats},y+4*i*ld,head);for(let c=0;c<found.
length;c++)found[c]+=logits[c]/this.heads.length}),found}average(floats,y,tokens){let{ld,dim,first}=this,sums2=new Float64Array(dim);
for(let token=first;token<tokens;token++)for(let i=0,at=(y>>2)+token*ld;i<dim;i++)sums2[i]+=floats[at+i];for(let i=0;i<dim;i++)floats[(y>>
2)+i]=sums2[i]/(tokens-first)}classified({kernels,floats},token,head){head&&kernels.multiply(token,head.K,head.b,head.bias,0,this.
logits,head.N,1,head.K,head.N);let from=(head?this.logits:token)>>2;return floats.subarray(from,from+this.classes)}};var Crate=class{constructor(header,weights,heads,tokens){let{dim,depth,headDim,eps,step,sparsity}=header,{room,file}=weights;this.
tokens=tokens,this.dim=dim,this.ld=up(dim,8),this.eps=eps,this.heads=heads,this.scale=headDim**-.5,this.x=room.take(tokens*this.ld),
this.mid=room.take(tokens*this.ld),this.y=room.take(tokens*this.ld),this.residue=room.take(tokens*this.ld),this.shift=room.take(this.
ld,to=>{to.fill(-step*sparsity,0,dim)});let rooms=inRooms(heads.heads,headDim,heads.ld);this.blocks=Array.from({length:depth},(_,l)=>{
let at=`blocks.${l}`,dictionary=()=>file.values(`${at}.ista.dictionary`,[dim,dim]);return{norm1:weights.norm(`${at}.norm1`,dim),subspaces:weights.
linear(`${at}.attn.subspaces`,[dim,dim],{rows:rooms}),proj:weights.linear(`${at}.attn.proj`,[dim,dim],{columns:rooms}),norm2:weights.
norm(`${at}.norm2`,dim),minus:weights.panels(dictionary,dim,dim,{factor:()=>-1}),back:weights.panels(()=>transposed(dictionary(),dim),
dim,dim,{factor:()=>step})}}),this.readout=new Readout(header,weights,tokens)}begin(){}norm({kernels},{weight,bias},from,to){kernels.
layerNorm(from,this.ld,weight,bias,to,this.tokens,this.dim,this.eps)}layer(net,l,doors){let{kernels,floats}=net,{tokens,ld,x,mid,y,
residue,heads}=this,{norm1,subspaces,proj,norm2,minus,back}=this.blocks[l],{q,k,v}=heads.layers[l],count=heads.heads*heads.one;this.
norm(net,norm1,x,y);for(let head=0;head<heads.heads;head++){let panels=subspaces.b+4*head*heads.ld*subspaces.K;kernels.multiply(y,
ld,panels,0,0,k+4*head*heads.one,heads.ld,tokens,subspaces.K,heads.ld)}floats.copyWithin(v>>2,k>>2,(k>>2)+count);for(let i=0;i<count;i++)
floats[(q>>2)+i]=this.scale*floats[(k>>2)+i];heads.attend(net,l,doors),kernels.multiply(heads.output,proj.K,proj.b,proj.bias,x,mid,
ld,tokens,proj.K,proj.N),this.norm(net,norm2,mid,y),kernels.multiply(y,ld,minus.b,0,y,residue,ld,tokens,minus.K,minus.N),kernels.multiply(
residue,ld,back.b,this.shift,y,x,ld,tokens,back.K,back.N),kernels.relu(x,tokens*ld)}logits(net){return this.readout.run(net,this.x,
this.y,this.tokens)}};function transposed(values,side){let made=new Float32Array(values.length);for(let i=0;i<side;i++)for(let j=0;j<
side;j++)made[j*side+i]=values[i*side+j];return made}var EDITS={"head-off":{settings:{head:void 0,by:"zero"},steps:headOff}},WAYS={zero:({head})=>({before:of2=>{of2("v",head).fill(0)}}),
uniform:({layer,head})=>({before:(of2,heads)=>{of2("q",head).fill(0),heads.relative?.without.add(`${layer}.${head}`)}}),mean:meanOf2};
function headOff(edit,net){let by=String(edit.by);if(!Object.hasOwn(WAYS,by))throw new Refused("editNoWay",{by,ways:Object.keys(WAYS).
join(", ")});return WAYS[by](edit,net)}function meanOf2({layer,head},net){let{heads,headDim}=net.header,{tokens}=net;if(!net.file.
has(`means.${layer}`))throw new Refused("editNoMeans");let means=net.file.values(`means.${layer}`,[heads,tokens,headDim]);return{before:of2=>{
of2("v",head).fill(0)},output:(which,row)=>{if(which===head)for(let i=0;i<tokens;i++){let from=(head*tokens+i)*headDim;row(i).set(
means.subarray(from,from+headDim))}}}}function doorsOf(edits,net){let each=[];for(let edit of edits.map(one=>whole(one,net.header))){
let{kind,layer,head}=edit,others=each.filter(one=>one.kind===kind&&one.layer===layer&&one.head===head);if(!others.some(one=>Object.
keys(edit).every(name=>Object.is(one[name],edit[name])))){if("head"in edit&&others.length)throw new Refused("editTwice",{kind,layer,
head});each.push(edit)}}return each.map(edit=>({...EDITS[edit.kind].steps(edit,net),layer:edit.layer}))}function whole({kind,layer,
...given},{depth,heads}){if(!Object.hasOwn(EDITS,kind))throw new Refused("editUnknown",{kind:String(kind)});let{settings}=EDITS[kind];
for(let name in given)if(!Object.hasOwn(settings,name))throw new Refused("editNoSetting",{kind,name});if(!isIndex(layer,-depth,depth))
throw new Refused("editNoLayer",{layer:String(layer),layers:depth});let edit={kind,layer:(layer+depth)%depth,...settings,...given};
if("head"in edit&&!isIndex(edit.head,0,heads))throw new Refused("editNoHead",{head:String(edit.head),heads});return edit}var isIndex=(value,least,count)=>Number.
isInteger(value)&&value>=least&&value<count;var Embedding=class{constructor(header,weights){let{size,patch,dim,prefix,positions}=header,{file,room}=weights,[rows,columns]=size.
map(side=>side/patch);if(!Number.isInteger(rows)||!Number.isInteger(columns))throw new Refused("networkBroken",{what:"size"});this.
patches=rows*columns,this.first=prefix.length,this.tokens=this.first+this.patches,this.size=size,this.patch=patch,this.ld=up(dim,8),
this.channels=header.channels,this.pixels=room.take(this.channels*size[0]*size[1]),this.cells=room.take(this.patches*this.channels*
patch*patch),this.proj=weights.linear("patch_embed.proj",[dim,this.channels,patch,patch]),this.base=room.take(this.tokens*this.ld,
to=>{let covered={all:this.tokens,patches:this.patches,none:0}[positions],places2=covered?file.values("pos_embed",[1,covered,dim]):
null,registers=prefix.filter(name=>name.startsWith("reg")).length,of2={cls:"cls_token",dist:"dist_token"};prefix.forEach((name,token)=>{
let index=name.startsWith("reg")?Number(name.slice(3)):0,count=name.startsWith("reg")?registers:1,values=file.values(of2[name]??"r\
eg_token",[1,count,dim]);to.set(values.subarray(index*dim,(index+1)*dim),token*this.ld)});for(let place=0,token=this.tokens-covered;place<
covered;place++,token++)for(let i=0;i<dim;i++)to[token*this.ld+i]+=places2[place*dim+i]})}run({kernels,floats},pixels,x){let[height,
width]=this.size,expected=this.channels*height*width;if(pixels.length!==expected)throw new Refused("pixelsDoNotFit",{expected,got:pixels.
length});let{proj,first,ld}=this;floats.set(pixels,this.pixels>>2),floats.copyWithin(x>>2,this.base>>2,(this.base>>2)+first*ld),kernels.
cut(this.pixels,this.cells,this.channels,height,width,this.patch);let patches=4*first*ld;kernels.multiply(this.cells,proj.K,proj.b,
proj.bias,this.base+patches,x+patches,ld,this.patches,proj.K,proj.N)}};var halves=null;function halfToFloat(bits2,floats=null){if(!halves){halves=new Float32Array(65536);for(let i=0;i<65536;i++){let exponent=i>>
10&31,fraction2=i&1023,value;exponent===0?value=fraction2*2**-24:exponent===31?value=fraction2?NaN:1/0:value=(1+fraction2/1024)*2**
(exponent-15),halves[i]=i&32768?-value:value}}floats??=new Float32Array(bits2.length);for(let i=0;i<bits2.length;i++)floats[i]=halves[bits2[i]];
return floats}var BYTES={f16:2,f32:4,i8:1},ROW={f16:0,f32:0,i8:4},NetworkFile=class{constructor(bytes){let head=new DataView(bytes.buffer,bytes.
byteOffset,bytes.byteLength);if((bytes.length<8?"":String.fromCharCode(...bytes.subarray(0,4)))!=="VZN1")throw new Refused("networ\
kNoFile");this.start=8+head.getUint32(4,!0);try{this.header=JSON.parse(new TextDecoder().decode(bytes.subarray(8,this.start)))}catch{
throw new Refused("networkBroken",{what:"header"})}if(this.header.version!==NETWORK_VERSION)throw new Refused("networkVersion",{version:String(
this.header.version)});this.bytes=bytes}has(name){return Object.hasOwn(this.header.tensors,name)}get isRounded(){return Object.values(
this.header.tensors).some(([,kind])=>kind==="i8")}values(name,shape){let[offset,kind,found]=this.has(name)?this.header.tensors[name]:
[0,"",[]],count=shape.reduce((a,b)=>a*b,1),from=this.start+offset,size=count*BYTES[kind]+shape[0]*ROW[kind];if(!(kind in BYTES)||found.
join()!==shape.join()||!(offset>=0)||from+size>this.bytes.length)throw new Refused("networkBroken",{what:name});let copy=this.bytes.
slice(from,from+size).buffer;return kind==="f16"?halfToFloat(new Uint16Array(copy)):kind==="i8"?scaled(copy,shape[0]):new Float32Array(
copy)}};function scaled(copy,rows){let scales=new Float32Array(copy,0,rows),numbers=new Int8Array(copy,4*rows),values=new Float32Array(
numbers.length),inputs=numbers.length/rows;for(let row=0,at=0;row<rows;row++){let scale=scales[row];for(let end=at+inputs;at<end;at++)
values[at]=numbers[at]*scale}return values}var Relative=class{constructor({depth,heads},{file,room},tokens){this.tokens=tokens,this.keys=up(tokens,8),this.heads=heads,this.places=
Int32Array.from(file.values("relative.index",[tokens,tokens]));let count=this.places.reduce((most2,one)=>Math.max(most2,one+1),0);
this.tables=Array.from({length:depth},(_,l)=>file.values(`blocks.${l}.attn.relative`,[count,heads])),this.matrix=room.take(tokens*
this.keys),this.without=new Set}of(layer,head){let{tables,places:places2,heads,without}=this,found=new Float32Array(places2.length);
if(!without.has(`${layer}.${head}`))for(let i=0;i<found.length;i++)found[i]=tables[layer][places2[i]*heads+head];return found}address(floats,layer,head){
let{tokens,keys,matrix}=this,found=this.of(layer,head);for(let i=0;i<tokens;i++)floats.set(found.subarray(i*tokens,(i+1)*tokens),(matrix>>
2)+i*keys);return matrix}};var ROWS=40,Heads=class{constructor(header,tokens,weights){let{heads,headDim,depth}=header,{room}=weights;this.heads=heads,this.width=
headDim,this.ld=up(headDim,8),this.tokens=tokens,this.keys=up(tokens,8),this.one=tokens*this.ld,this.layers=Array.from({length:depth},
()=>({q:room.take(heads*this.one),k:room.take(heads*this.one),v:room.take(heads*this.one),lse:room.take(heads*tokens)})),this.relative=
header.relative?new Relative(header,weights,tokens):null,this.columns=room.take(this.keys*this.ld),this.values=room.take(this.one),
this.scores=room.take(ROWS*this.keys),this.largest=room.take(tokens),this.sums=room.take(tokens),this.output=room.take(tokens*heads*
this.ld)}of(floats,what,layer,head){let from=(this.layers[layer][what]>>2)+head*this.one;return floats.subarray(from,from+this.one)}all(floats,what,layer){
let from=this.layers[layer][what]>>2,rows=this.heads*this.tokens,found=floats.subarray(from,from+rows*this.ld);if(this.ld===this.width)
return found;let tight=new Float32Array(rows*this.width);for(let i=0;i<rows;i++)tight.set(found.subarray(i*this.ld,i*this.ld+this.
width),i*this.width);return tight}attend({kernels,floats},layer,doors){let{heads,tokens,keys,ld,scores}=this,{q,k,v,lse}=this.layers[layer];
for(let door of doors)door.before?.((what,head)=>this.of(floats,what,layer,head),this);let rows=Math.min(ROWS,tokens),line=heads*ld;
for(let head=0;head<heads;head++){let at=4*head*this.one,added=this.relative?this.relative.address(floats,layer,head):0;kernels.panelsOfRows(
k+at,ld,this.columns,tokens,ld),kernels.panelsOfColumns(v+at,ld,this.values,tokens,ld);for(let done=0;done<tokens;done+=rows){let from=Math.
min(done,tokens-rows),bias=added&&added+4*from*keys;kernels.multiply(q+at+4*from*ld,ld,this.columns,0,bias,scores,keys,rows,ld,keys),
kernels.softmax(scores,keys,rows,tokens,this.largest+4*from,this.sums+4*from);for(let door of doors){let row=i=>floats.subarray((scores>>
2)+i*keys,(scores>>2)+i*keys+tokens);door.attention?.(head,{from,rows,row})}let to=this.output+4*(from*line+head*ld);kernels.multiply(
scores,keys,this.values,0,0,to,line,rows,tokens,ld)}let[sums2,largest,out]=[this.sums>>2,this.largest>>2,(lse>>2)+head*tokens];for(let i=0;i<
tokens;i++)floats[out+i]=floats[largest+i]+Math.log(floats[sums2+i]);for(let door of doors){let row=i=>{let start=(this.output>>2)+
i*line+head*ld;return floats.subarray(start,start+this.width)};door.output?.(head,row,tokens)}}}};var APART3={pairs:()=>0,halves:width=>width/2},Rotary=class{constructor({rotary,headDim,prefix},{file,room},tokens){if(!Object.hasOwn(
APART3,rotary))throw new Refused("networkKind",{kind:String(rotary)});this.first=prefix.length,this.patches=tokens-this.first,this.
apart=APART3[rotary](headDim),this.width=headDim;let table=name=>room.take(this.patches*headDim,to=>to.set(file.values(name,[this.
patches,headDim])));this.cos=table("rope.cos"),this.sin=table("rope.sin")}turn(kernels,heads,layer){let{first,patches,cos,sin,width,
apart}=this;for(let what of["q","k"])for(let head=0;head<heads.heads;head++){let at=heads.layers[layer][what]+4*(head*heads.one+first*
heads.ld);kernels.rotate(at,heads.ld,cos,sin,patches,width,apart)}}};var ViT=class{constructor(header,weights,heads,tokens){let{dim,depth,headDim,eps,rotary}=header,{room}=weights;this.tokens=tokens,
this.dim=dim,this.ld=up(dim,8),this.eps=eps,this.heads=heads,this.normPre=header.preNorm?weights.norm("norm_pre",dim):null,this.x=
room.take(tokens*this.ld),this.mid=room.take(tokens*this.ld),this.y=room.take(tokens*this.ld),this.rotary=rotary?new Rotary(header,
weights,tokens):null;let inside=between2(header,tokens,room),inner=heads.heads*headDim,scale=headDim**-.5,rooms=inRooms(heads.heads,
headDim,heads.ld),gammas=name=>header.layerScale?weights.file.values(name,[dim]):null;this.blocks=Array.from({length:depth},(_,l)=>{
let at=`blocks.${l}`,[ls1,ls2]=[gammas(`${at}.ls1.gamma`),gammas(`${at}.ls2.gamma`)];return{norm1:weights.norm(`${at}.norm1`,dim),
qkv:weights.linear(`${at}.attn.qkv`,[3*inner,dim],{rows:[0,1,2].flatMap(i=>rooms.map(row=>row<0?-1:i*inner+row)),factor:output=>output<
inner&&!header.qkNorm?scale:1}),qNorm:header.qkNorm?weights.norm(`${at}.attn.q_norm`,headDim,scale):null,kNorm:header.qkNorm?weights.
norm(`${at}.attn.k_norm`,headDim):null,proj:weights.linear(`${at}.attn.proj`,[dim,inner],{columns:rooms,factor:i=>ls1?.[i]??1}),norm2:weights.
norm(`${at}.norm2`,dim),mlp:new Mlp(`${at}.mlp`,dim,header,weights,inside,ls2)}}),this.readout=new Readout(header,weights,tokens)}begin(net){
this.normPre&&this.norm(net,this.normPre,this.x,this.x)}norm({kernels},{weight,bias},from,to){kernels.layerNorm(from,this.ld,weight,
bias,to,this.tokens,this.dim,this.eps)}layer(net,l,doors){let{kernels}=net,{tokens,ld,x,mid,y,heads}=this,{norm1,qkv,qNorm,kNorm,proj,
norm2,mlp}=this.blocks[l];this.norm(net,norm1,x,y),["q","k","v"].forEach((what,i)=>{for(let head=0;head<heads.heads;head++){let column=(i*
heads.heads+head)*heads.ld,to=heads.layers[l][what]+4*head*heads.one,bias=qkv.bias&&qkv.bias+4*column;kernels.multiply(y,ld,qkv.b+
4*column*qkv.K,bias,0,to,heads.ld,tokens,qkv.K,heads.ld)}});for(let[what,norm]of Object.entries({q:qNorm,k:kNorm})){if(!norm)continue;
let at=heads.layers[l][what];kernels.layerNorm(at,heads.ld,norm.weight,norm.bias,at,heads.heads*tokens,heads.width,this.eps)}this.
rotary?.turn(kernels,heads,l),heads.attend(net,l,doors),kernels.multiply(heads.output,proj.K,proj.b,proj.bias,x,mid,ld,tokens,proj.
K,proj.N),this.norm(net,norm2,mid,y),mlp.run(kernels,y,ld,mid,x,tokens,this.eps)}logits(net){return this.readout.run(net,this.x,this.
y,this.tokens)}};var KINDS2={vit:ViT,crate:Crate},LIMIT2=2**30,ZERO=[253,12,...new Array(16).fill(0)],BODY=[0,...ZERO,...ZERO,...ZERO,253,133,2,11],
PROBE=[0,97,115,109,1,0,0,0,1,5,1,96,0,1,123,3,2,1,0,10,BODY.length+2,1,BODY.length,...BODY],kernelsFile=()=>WebAssembly.validate(
Uint8Array.from(PROBE))?"kernels.relaxed.wasm":"kernels.wasm",Network=class _Network{constructor(file){let{header}=file;if(!Object.
hasOwn(KINDS2,header.kind))throw new Refused("networkKind",{kind:String(header.kind)});let room=new Memory,weights=new Weights(file,
room);this.file=file,this.header=header,this.room=room,this.embedding=new Embedding(header,weights),this.tokens=this.embedding.tokens,
this.heads=new Heads(header,this.tokens,weights),this.body=new KINDS2[header.kind](header,weights,this.heads,this.tokens),this.norms=
room.take(header.depth*this.tokens),this.kept=null,this.turn=0,this.kernels=null,this.floats=new Float32Array(0)}static async open(bytes,wasm,{
limit=LIMIT2}={}){let net=new _Network(new NetworkFile(bytes)),memory=net.room.open(limit),{instance}=await WebAssembly.instantiate(
wasm,{env:{memory}});return net.kernels=instance.exports,net.floats=new Float32Array(memory.buffer),net}forward(pixels,{onLayer,isStale,
...options}={}){let steps2=this.steps(pixels,options);for(;;){let step=steps2.next();if(step.done)return step.value;if(onLayer?.(Number(
step.value),this.header.depth),isStale?.())return null}}*steps(pixels,{edits=[],keep:keep2=!1}={}){let turn=++this.turn,{body,kernels,
floats,tokens,header}=this,{depth,dim}=header,doors=doorsOf(edits,this);this.heads.relative?.without.clear(),keep2&&(this.kept??=new Float32Array(
depth*tokens*dim)),this.embedding.run(this,pixels,body.x),body.begin(this);for(let l=0;l<depth;l++){let here=doors.filter(({layer})=>layer===
l);body.layer(this,l,here);let row=token=>{let from=(body.x>>2)+token*body.ld;return floats.subarray(from,from+dim)};for(let door of here)
door.tokens?.(row,tokens);if(kernels.lengths(body.x,body.ld,this.norms+4*l*tokens,tokens,dim),keep2)for(let i=0;i<tokens;i++)this.
kept.set(row(i),(l*tokens+i)*dim);if(yield l+1,this.turn!==turn)return null}return this.pass(body.logits(this),keep2)}entering(pixels){
let{body,tokens,floats}=this,{dim}=this.header;this.embedding.run(this,pixels,body.x),body.begin(this);let entered=new Float32Array(
tokens*dim);for(let token=0;token<tokens;token++){let from=(body.x>>2)+token*body.ld;entered.set(floats.subarray(from,from+dim),token*
dim)}return entered}get pool(){return this.body.readout.pooling?.maps??null}pass(logits,keep2){if(!logits.every(Number.isFinite))throw new Refused(
"networkNoNumbers");let{floats,heads,tokens,kept}=this,{depth,dim}=this.header,part3=(address,count)=>floats.subarray(address>>2,(address>>
2)+count);return{logits,layers:heads.layers.map(({lse},l)=>({q:heads.all(floats,"q",l),k:heads.all(floats,"k",l),v:heads.all(floats,
"v",l),lse:part3(lse,heads.heads*tokens),bias:heads.relative?head=>heads.relative.of(l,head):null})),norms:part3(this.norms,depth*
tokens),pool:this.pool,tokens:layer=>{if(!keep2)throw new Error("The residual stream is kept only by a pass that was told to: { ke\
ep: true }.");return kept.subarray(layer*tokens*dim,(layer+1)*tokens*dim)}}}};var KINDS3={Uint8Array:"bytes",Uint16Array:"f16",Float32Array:"f32",Int32Array:"i32"},padded=length=>Math.ceil(length/8)*8;function assemble(header,blocks,nFirst){
let table={},[offset,first,count]=[0,0,0];for(let[name,{data,shape}]of blocks)table[name]=[offset,KINDS3[data.constructor.name],shape],
offset+=padded(data.byteLength),++count===nFirst&&(first=offset);let text2=new TextEncoder().encode(JSON.stringify({...header,first,
blocks:table})),start=8+padded(text2.length),file=new Uint8Array(start+offset).fill(32,8+text2.length,start);file.set([86,73,90,49]),
new DataView(file.buffer).setUint32(4,start-8,!0),file.set(text2,8);for(let[name,{data}]of blocks)file.set(new Uint8Array(data.buffer,
data.byteOffset,data.byteLength),start+table[name][0]);return file}function areSmaller({heads,tokens,width}){return heads*(4*width*tokens+4*tokens)<=2*heads*tokens*tokens}function factors(layer,shape,headMap){
if(layer.bias)return null;let centred2=withoutMean(layer.k,shape);if(!fitsInHalf(layer.q)||!fitsInHalf(centred2))return null;let[q,
k]=[floatToHalf(layer.q),floatToHalf(centred2)];return{q,k,lse:logsumexp(halfToFloat(q),halfToFloat(k),shape,headMap)}}function withoutMean(k,{
heads,tokens,width}){let centred2=new Float32Array(k.length);for(let head=0;head<heads;head++)for(let c=0;c<width;c++){let[first,last]=[
head*tokens*width+c,(head+1)*tokens*width],sum=0;for(let at=first;at<last;at+=width)sum+=k[at];let mean=Math.fround(sum/tokens);for(let at=first;at<
last;at+=width)centred2[at]=k[at]-mean}return centred2}function fitsInHalf(values){for(let i=0;i<values.length;i++)if(!(Math.abs(values[i])<=
65504))return!1;return!0}function logsumexp(q,k,{heads,tokens,width},headMap){let[map,lse]=[new Float32Array(tokens*tokens),new Float32Array(
heads*tokens)];for(let head=0;head<heads;head++){let part3=[head*tokens*width,(head+1)*tokens*width],rows=lse.subarray(head*tokens,
(head+1)*tokens);headMap(q.subarray(...part3),k.subarray(...part3),tokens,width,map,rows)}return lse}function sinks({prefix,grid},norms,received){let[first,patches]=[prefix.length,grid[0]*grid[1]],found=new Map;return norms.forEach(
(every,layer)=>{let own=Array.from({length:patches},(_,patch)=>every[first+patch]),middle=median(own),spread=1.4826*median(own.map(
norm=>Math.abs(norm-middle))),far=Math.max(SINK_LONG*middle,middle+SINK_FAR*spread);own.forEach((norm,patch)=>{norm>far&&received[layer][first+
patch]>SINK_MUCH/(first+patches)&&found.set(patch,[...found.get(patch)??[],layer])})}),[...found].map(([patch,layers])=>{let share=Math.
max(...layers.map(layer=>received[layer][first+patch]));return[...[Math.floor(patch/grid[1]),patch%grid[1]],share,layers[0],layers[layers.
length-1]]}).sort((a,b)=>b[2]-a[2]||a[0]-b[0]||a[1]-b[1])}function median(values){let ordered=Float32Array.from(values).sort(),last=values.
length-1;return(ordered[last>>1]+ordered[last+1>>1])/2}function pack(pass,net,said,headMap){let tokens={prefix:net.prefix,grid:net.size.map(side=>side/net.patch)},named=namedQueries(net.
readout),seen2=layersOf2(pass,net,tokens,named,headMap),{blocks,nFirst}=blocksOf(seen2,named,tokens,said);pass.pool&&blocks.set("c\
ross.dense.0",pooledRows(net,pass.pool,tokens));let{bytes,type}=said.picture,[left,top,right,bottom]=windowOf(said.frame),[height,
width]=said.frame.picture,received=seen2.attended.map(layer=>layer.received),n=countOf(tokens),norms=received.map((_,layer)=>pass.
norms.subarray(layer*n,(layer+1)*n)),header={model:net.name,notes:said.notes??[],pages:said.pages??null,lesson:said.lesson??null,layouts:[
tokens],layers:seen2.kinds.map((kind,layer)=>about(`blocks.${layer}.attn`,kind,net.heads,n,net.headDim)),prefix:tokens.prefix,grid:tokens.
grid,readout:named[0],named,...pass.pool?crossOf(net,tokens):{},noChain:"",aside:[],top:most(pass.logits,net),caution:said.caution??
"",sinks:sinks(tokens,norms,received),picture:{type},id:sha256(bytes),input:said.frame.input,film:null,truth:(said.truth??[]).map(
({name,object})=>({name,object})),window:[left/width,top/height,right/width,bottom/height]};return assemble(header,blocks,nFirst)}
function layersOf2(pass,{heads,headDim:width},tokens,named,headMap){let shape={heads,tokens:countOf(tokens),width},sent=pass.layers.
map(layer=>areSmaller(shape)?factors(layer,shape,headMap):null),dense=new Map,onMap=(layer,map)=>!sent[layer]&&dense.set(layer,floatToHalf(
map)),queries=named.map(name=>weightsOf(name,tokens,pass.pool)),found=attended(pass.layers,shape,queries,headMap,sent.every(Boolean)?
void 0:onMap),numbers=new Map;for(let layer=sent.length-1;layer>=0;layer--)for(let[name,data]of Object.entries(sent[layer]??{dense:dense.
get(layer)}))numbers.set(`${name}.${layer}`,{data,shape:shapeOf2(name,shape)});let kinds=sent.map(one=>one?"factors":"dense");return{
numbers,kinds,attended:found.layers,rollouts:found.rollouts,weights:queries}}function shapeOf2(name,{heads,tokens,width}){return{lse:[
heads,tokens],dense:[heads,tokens,tokens]}[name]??[heads,tokens,width]}function blocksOf({numbers,attended:layers,rollouts,weights},named,tokens,{
picture,frame,truth=[]}){let blocks=new Map,put=(name,data,shape=[data.length])=>blocks.set(name,{data,shape});put("picture",picture.
bytes),truth.forEach(({mask},i)=>put(`truth.${i}`,packedBits(maskOf(frame,mask)))),named.forEach((name,i)=>put(`weights.${name}.0`,
weights[i]));let rows=i=>floatToHalf(joined(layers.map(layer=>layer.rows[i])));put(`rows.${named[0]}`,rows(0));let n=countOf(tokens);
named.length>1&&put("opening",floatToHalf(joined(layers.map(layer=>meanOf(layer.rows[1],n)))));let nFirst=blocks.size;for(let i=1;i<
named.length;i++)put(`rows.${named[i]}`,rows(i));named.forEach((name,i)=>put(`rollout.${name}`,rollouts[i],[layers.length,n]));for(let[
name,block]of numbers)blocks.set(name,block);return{blocks,nFirst}}function crossOf(net,tokens){let{heads,headDim:width}=net.pooling,
keys=keysOf(net,tokens);return{cross:[{name:"attn_pool",heads,kind:"dense",width,queries:["query 0"],keys}]}}function pooledRows(net,pool,tokens){
let[n,keys]=[countOf(tokens),countOf(keysOf(net,tokens))],rows=Array.from({length:net.pooling.heads},(_,head)=>pool.subarray((head+
1)*n-keys,(head+1)*n));return{data:floatToHalf(joined(rows)),shape:[rows.length,1,keys]}}var keysOf=({pooling},{prefix,grid})=>({prefix:pooling.
prefix?prefix:[],grid});function about(name,kind,heads,n,width){return{name,heads,kind,width,...{queries:0,keys:0,windowed:!1,windows:1,
slots:n,keySlots:n}}}function most(logits,{labels,activation:activation2}){if(activation2==="none")return[];let shares2=probabilities(
logits,activation2);return labels.map((label,i)=>[label,Math.fround(shares2[i])]).sort((a,b)=>b[1]-a[1]).slice(0,TOP_CLASSES)}function joined(parts2){
let whole2=new Float32Array(parts2.reduce((sum,part3)=>sum+part3.length,0)),at=0;for(let part3 of parts2)whole2.set(part3,at),at+=
part3.length;return whole2}function packedBits(mask){let bits2=new Uint8Array(Math.ceil(mask.length/8));return mask.forEach((value,i)=>bits2[i>>
3]|=value?128>>(i&7):0),bits2}var OPEN=2,KEPT=4,files=new Map,nets=new Map,looks=new Map,told={open({model,bytes,labels}){files.set(model,{bytes,labels})},async look({
run,model,file,page:page2,fit,said,masks},number){let{net,headMap}=await network(model),picture=await decode(file,page2),{pixels,frame}=preprocess(
picture,net.header.preprocess,fit??void 0),shown2=encode(picture),pass=await watched2(net,pixels,number);if(!pass)return null;let[
height,width]=frame.picture,truth=said.truth.map((one,i)=>({...one,mask:bits(masks[i],height*width)})),notes=picture.note?[...said.
notes,worded(said.words,picture.note)]:said.notes,packed2=pack(pass,net.header,{...said,notes,pages:picture.pages,picture:await shown2,
frame,truth},headMap),used=fit??net.header.preprocess.fit;return keep(looks,run,{net:async()=>(await network(model)).net,open:()=>network(
model),model,pixels,file,page:page2,fit:used},KEPT),packed2},stop(){},async glance({model,frame:{width,height,data},fit}){let{net,
headMap}=await network(model),picture={width,height,data:new Uint8Array(width*height*3)};return overWhite(data,picture.data),glance(
net,picture,fit??void 0,headMap)},async ask({kind,run,what,words}){let look=looks.get(run);return!look||!Object.hasOwn(answers,kind)?
{why:words.needsServer}:answers[kind](look,what,words)}};async function watched2(net,pixels,number){let steps2=net.steps(pixels);for(;;){
let{value,done}=steps2.next();if(done)return value;if(postMessage({number,done:value/net.header.depth}),await heard(),newest!==number)
return null}}var{port1,port2}=new MessageChannel,waiting=[];port1.onmessage=()=>waiting.shift()();function heard(){return new Promise(
go=>{waiting.push(go),port2.postMessage(null)})}async function atLength(number,begin){let steps2=await inLine(begin);for(;;){let{value,
done}=await inLine(()=>steps2.next());if(done)return value;if(postMessage({number,done:value}),await heard(),longest!==number||newest>
number)return null}}async function network(model){if(!nets.has(model)){let wasm=kernelsFile()==="kernels.wasm"?kernels_default:kernels_relaxed_default,
{bytes,labels}=files.get(model),net=await Network.open(bytes,wasm);labels&&(net.header.labels=labels),keep(nets,model,{net,headMap:await fastHeadMap(
wasm,net.tokens,net.header.headDim)},OPEN)}return nets.get(model)}function keep(map,key,value,most2){map.delete(key),map.set(key,value),
map.size>most2&&map.delete(map.keys().next().value)}var worded=(words,{key,values})=>words[key].replace(/\{(\w+)\}/g,(_,name)=>values[name]);
function bits(packed2,length){let mask=new Uint8Array(length);for(let i=0;i<length;i++)mask[i]=packed2[i>>3]>>7-(i&7)&1;return mask}
var before=Promise.resolve();function inLine(work){let result=before.then(work);return before=result.catch(()=>{}),result}var open=new Map,
questions=0;askPage((read2,blob,options)=>(questions+=1,new Promise((done,failed)=>{open.set(questions,{done,failed}),postMessage(
{question:questions,read:read2,blob,options})})));addEventListener("message",({data:{question,found,failed}})=>{let waits=open.get(
question);open.delete(question),failed?waits?.failed(Object.assign(new Error(failed.message),{name:failed.name})):waits?.done(found)});
var newest=0,longest=0;addEventListener("message",({data:{number,call,...what}})=>{if(!call)return;call==="look"&&(newest=number);
let isLong=Object.hasOwn(explaining,call);(isLong||call==="stop")&&(longest=number),(isLong?atLength(number,()=>explaining[call](looks.
get(what.run),what)):inLine(()=>told[call](what,number))).then(answer=>postMessage({number,answer}),error=>{error instanceof Refused?
postMessage({number,refused:{key:error.key,values:error.values}}):postMessage({number,error:String(error?.message??error)})})});})();
