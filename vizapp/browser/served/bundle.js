(()=>{var __defProp=Object.defineProperty;var __getOwnPropNames=Object.getOwnPropertyNames;var __esm=(fn,res,err)=>function(){if(err)throw err[0];try{return fn&&(res=(0,fn[__getOwnPropNames(fn)[0]])(fn=0)),res}catch(e2){throw err=
[e2],e2}};var __export=(target2,all)=>{for(var name2 in all)__defProp(target2,name2,{get:all[name2],enumerable:!0})};var vite_browser_external_Cgmn0awE_exports={};__export(vite_browser_external_Cgmn0awE_exports,{default:()=>vite_browser_external_Cgmn0awE_default});
var t,vite_browser_external_Cgmn0awE_default,init_vite_browser_external_Cgmn0awE=__esm({"../node_modules/@gradio/client/dist/__vit\
e-browser-external-Cgmn0awE.js"(){init_browser();t=o(((e2,t3)=>{t3.exports={}})),vite_browser_external_Cgmn0awE_default=t()}});async function me(e2,t3,n2){try{return(await(await fetch(`https://huggingface.co/api/spaces/${e2}/jwt`,{headers:{Authorization:`Be\
arer ${t3}`,...n2?{Cookie:n2}:{}}})).json()).token||!1}catch{return!1}}function E(e2){e2.hf_token&&!e2.token&&(e2.token=e2.hf_token,
console.warn("The `hf_token` option has been renamed to `token`. Support for `hf_token` will be removed in a future version of @gr\
adio/client."))}function D(e2){let t3={};return e2.forEach(({api_name:e3,id:n2})=>{e3&&(t3[e3]=n2)}),t3}function he(e2,t3,n2=!1){let r2=new URL(
t3),i2=new URL(e2,r2),a2=i2.hostname.endsWith(".colab-user-runtimes.internal")||i2.hostname.endsWith(".codatalab-user-runtimes.int\
ernal");return n2||a2?new URL(new URL(e2,r2).pathname,r2).toString().replace(/\/$/,""):i2.hostname===r2.hostname?(i2.protocol=r2.protocol,
i2.host=r2.host,i2.toString().replace(/\/$/,"")):e2}async function O(e2,t3=!0){let n2=this.options.token?{Authorization:`Bearer ${this.
options.token}`}:{};if(typeof window<"u"&&window.gradio_config&&location.origin!=="http://localhost:9876"){if(t3&&window.gradio_config.
current_page&&(e2=e2.substring(0,e2.lastIndexOf("/"))),window.gradio_config.dev_mode||typeof window<"u"&&window?.BUILD_MODE==="dev"){
let t4=new URL(L(e2,m));this.deep_link&&t4.searchParams.set("deep_link",this.deep_link),this.page!==null&&t4.searchParams.set("pag\
e",this.page);let r3=await k(await this.fetch(t4,{headers:n2,credentials:this.options.credentials??"same-origin"}),!!this.options.
auth);r3.root=e2||r3.root,window.gradio_config={...r3,current_page:window.gradio_config.current_page}}let r2={...window.gradio_config};
return r2.root=he(r2.root,location.href,r2.is_colab),r2}else if(e2){let t4=new URL(L(e2,m));this.deep_link&&t4.searchParams.set("d\
eep_link",this.deep_link),this.page!==null&&t4.searchParams.set("page",this.page);let r2=await k(await this.fetch(t4,{headers:n2,credentials:this.
options.credentials??"same-origin"}),!!this.options.auth);return r2.root||=e2,r2}throw Error(y)}async function k(e2,t3){if(e2?.status===
401&&!t3){let t4=null;try{t4=await e2.json()}catch{throw Error(ce)}let n2=t4?.detail?.auth_message;throw Error(n2||"Login credenti\
als are required to access this space.")}else if(e2?.status===401&&t3)throw Error(C);if(e2?.status===200){let t4=await e2.json();return t4.
dependencies?.forEach((e3,t5)=>{e3.id===void 0&&(e3.id=t5)}),t4}else if(e2?.status===401)throw Error(S);throw Error(`${y}(received\
 status ${e2?.status} when fetching the app config)`)}async function A(){let{http_protocol:e2,host:t3}=await I(this.app_reference,
this.options.token);try{if(this.options.auth){let n2=await j(e2,t3,this.options.auth,this.fetch,this.options.token,this.options.credentials);
n2&&this.set_cookies(n2)}}catch(e3){throw Error(e3.message)}}async function j(e2,t3,n2,r2,i2,a2){let o2=new FormData;o2.append("us\
ername",n2?.[0]),o2.append("password",n2?.[1]);let s2={};i2&&(s2.Authorization=`Bearer ${i2}`);let c2=await r2(`${e2}//${t3}/${p}`,
{headers:s2,method:"POST",body:o2,credentials:a2??"same-origin"});if(c2.status===200)return c2.headers.get("set-cookie");throw c2.
status===401?Error(C):Error(x)}function M(e2){if(e2.startsWith("http")){let{protocol:t3,host:n2,pathname:r2}=new URL(e2);return{ws_protocol:t3===
"https:"?"wss":"ws",http_protocol:t3,host:n2+(r2==="/"?"":r2)}}return{ws_protocol:"wss",http_protocol:"https:",host:new URL(e2).host}}
async function I(e2,t3){let n2={};t3&&(n2.Authorization=`Bearer ${t3}`);let r2=e2.trim().replace(/\/$/,"");if(P.test(r2)){let e3;try{
e3=await fetch(`https://huggingface.co/api/spaces/${r2}/${l}`,{headers:n2})}catch{throw Error(x)}if(e3.status===401||e3.status===404)
throw Error(T(r2,e3.status));let t4;try{t4=(await e3.json()).host}catch{throw Error(x)}if(!t4)throw Error(x);return{space_id:r2,...M(
t4)}}if(F.test(r2)){let{ws_protocol:e3,http_protocol:t4,host:n3}=M(r2);return{space_id:n3.split("/")[0].replace(".hf.space",""),ws_protocol:e3,
http_protocol:t4,host:n3}}return{space_id:!1,...M(r2)}}function ge(e2,t3,n2){let r2={named_endpoints:{},unnamed_endpoints:{}};return Object.
keys(e2).forEach(i2=>{(i2==="named_endpoints"||i2==="unnamed_endpoints")&&(r2[i2]={},Object.entries(e2[i2]).forEach(([e3,a2])=>{let o2=a2?.
parameters??[],s2=a2?.returns??[],c2=t3.dependencies.find(t4=>t4.api_name===e3||t4.api_name===e3.replace("/",""))?.id||n2[e3.replace(
"/","")]||-1,l2=c2===-1?void 0:t3.dependencies.find(e4=>e4.id==c2),u2=c2===-1?{generator:!1,cancel:!1}:l2?.types;if(l2&&Array.isArray(
l2.inputs)&&l2.inputs.length!==o2.length){let e4=l2.inputs.map(e5=>t3.components.find(t4=>t4.id===e5)?.type);try{e4.forEach((e5,t4)=>{
e5==="state"&&o2.splice(t4,0,{component:"state",example:null,parameter_default:null,parameter_has_default:!0,parameter_name:null,hidden:!0})})}catch(e5){
console.error(e5)}}let d2=(e4,t4,n3,r3)=>({...e4,description:_e(e4?.type,n3),type:R(e4?.type,t4,n3,r3)||""});r2[i2][e3]={parameters:o2.
map(e4=>d2(e4,e4?.component,e4?.serializer,"parameter")),returns:s2.map(e4=>d2(e4,e4?.component,e4?.serializer,"return")),type:u2,
...a2?.oauth_token?{oauth_token:a2.oauth_token}:{}}}))}),r2}function R(e2,t3,n2,r2){if(t3==="Api")return e2.type;switch(e2?.type){case"\
string":return"string";case"boolean":return"boolean";case"number":return"number"}if(n2==="JSONSerializable"||n2==="StringSerializa\
ble")return"any";if(n2==="ListStringSerializable")return"string[]";if(t3==="Image")return r2==="parameter"?"Blob | File | Buffer":
"string";if(n2==="FileSerializable")return e2?.type==="array"?r2==="parameter"?"(Blob | File | Buffer)[]":"{ name: string; data: s\
tring; size?: number; is_file?: boolean; orig_name?: string}[]":r2==="parameter"?"Blob | File | Buffer":"{ name: string; data: str\
ing; size?: number; is_file?: boolean; orig_name?: string}";if(n2==="GallerySerializable")return r2==="parameter"?"[(Blob | File |\
 Buffer), (string | null)][]":"[{ name: string; data: string; size?: number; is_file?: boolean; orig_name?: string}, (string | nul\
l))][]"}function _e(e2,t3){return t3==="GallerySerializable"?"array of [file, label] tuples":t3==="ListStringSerializable"?"array \
of strings":t3==="FileSerializable"?"array of files or single file":e2?.description}function ve(e2,t3){switch(e2.msg){case"send_da\
ta":return{type:"data"};case"send_hash":return{type:"hash"};case"queue_full":return{type:"update",status:{queue:!0,message:ae,stage:"\
error",code:e2.code,success:e2.success}};case"heartbeat":return{type:"heartbeat"};case"unexpected_error":return{type:"unexpected_e\
rror",status:{queue:!0,message:e2.message,session_not_found:e2.session_not_found,stage:"error",success:!1}};case"broken_connection":
return{type:"broken_connection",status:{queue:!0,message:e2.message,stage:"error",success:!1}};case"estimation":return{type:"updat\
e",status:{queue:!0,stage:t3||"pending",code:e2.code,size:e2.queue_size,position:e2.rank,eta:e2.rank_eta,success:e2.success}};case"\
progress":return{type:"update",status:{queue:!0,stage:"pending",code:e2.code,progress_data:e2.progress_data,success:e2.success}};case"\
log":return{type:"log",data:e2};case"process_generating":return{type:"generating",status:{queue:!0,message:e2.success?null:e2.output.
error,stage:e2.success?"generating":"error",code:e2.code,progress_data:e2.progress_data,eta:e2.average_duration,changed_state_ids:e2.
success?e2.output.changed_state_ids:void 0},data:e2.success?e2.output:null};case"process_streaming":return{type:"streaming",status:{
queue:!0,message:e2.output.error,stage:"streaming",time_limit:e2.time_limit,code:e2.code,progress_data:e2.progress_data,changed_state_ids:e2.
output.changed_state_ids,eta:e2.eta},data:e2.output};case"process_completed":return"error"in e2.output?{type:"update",status:{queue:!0,
title:e2.output.title??"Error",message:e2.output.error??"An error occurred",visible:e2.output.visible,duration:e2.output.duration,
stage:"error",code:e2.code,success:e2.success}}:{type:"complete",status:{queue:!0,message:e2.success?void 0:e2.output.error,stage:e2.
success?"complete":"error",code:e2.code,progress_data:e2.progress_data,changed_state_ids:e2.success?e2.output.changed_state_ids:void 0,
used_cache:e2.used_cache,cache_duration:e2.cache_duration,avg_time:e2.avg_time},data:e2.success?e2.output:null};case"process_start\
s":return{type:"update",status:{queue:!0,stage:"pending",code:e2.code,size:e2.rank,position:0,success:e2.success,eta:e2.eta},original_msg:"\
process_starts"}}return{type:"none",status:{stage:"error",queue:!0}}}async function be(){if(this.api_info)return this.api_info;let{
token:e2}=this.options,{config:t3}=this,n2={};if(e2&&(n2.Authorization=`Bearer ${e2}`),t3)try{let e3,r2;if(typeof window<"u"&&window.
gradio_api_info)r2=window.gradio_api_info;else{let i2=new URL(L(t3.root,this.api_prefix,ee));if(this.page!==null&&i2.searchParams.
set("page",this.page),e3=await this.fetch(i2,{headers:n2,credentials:this.options.credentials??"same-origin"}),!e3.ok)throw Error(
v);r2=await e3.json()}return"api"in r2&&(r2=r2.api),r2.named_endpoints["/predict"]&&!r2.unnamed_endpoints[0]&&(r2.unnamed_endpoints[0]=
r2.named_endpoints["/predict"]),ge(r2,t3,this.api_map)}catch(e3){throw Error("Could not get API info. "+e3.message)}}async function xe(e2,t3,n2){
let r2={};this?.options?.token&&(r2.Authorization=`Bearer ${this.options.token}`);let i2=1e3,a2=[],o2;for(let s2=0;s2<t3.length;s2+=
i2){let c2=t3.slice(s2,s2+i2),l2=new FormData;c2.forEach(e3=>{l2.append("files",e3)});try{let t4=n2?`${e2}${this.api_prefix}/${f}?\
upload_id=${n2}`:`${e2}${this.api_prefix}/${f}`;o2=await this.fetch(t4,{method:"POST",body:l2,headers:r2,credentials:this.options.
credentials??"same-origin"})}catch(e3){throw Error(v+e3.message)}if(!o2.ok){let e3=await o2.text();return{error:`HTTP ${o2.status}\
: ${e3}`}}let u2=await o2.json();u2&&a2.push(...u2)}return{files:a2}}function Ce(e2,t3=1,n2="jedec"){e2=Math.abs(e2);let{radix:r2,
unit:i2}=Se[n2]||Se.jedec,a2=0;for(;e2>=r2;)e2/=r2,++a2;return`${e2.toFixed(t3)} ${i2[a2]}`}async function z(e2,t3,n2,r2){let i2=(Array.
isArray(e2)?e2:[e2]).map(e3=>e3.blob),a2=i2.filter(e3=>e3.size>(r2??1/0));if(a2.length)throw Error(`File(s) exceed the maximum all\
owed size of ${Ce(r2||1/0)}: ${a2.map(e3=>`"${e3.name}"`).join(", ")}`);return await Promise.all(await this.upload_files(t3,i2,n2).
then(async n3=>{if(n3.error)throw Error(n3.error);return n3.files?n3.files.map((n4,r3)=>{let i3=n4.split("/").map(e3=>encodeURIComponent(
e3)).join("/");return new V({...e2[r3],path:n4,url:`${t3}${this.api_prefix}/file=${i3}`})}):[]}))}function Te(e2,t3,n2){for(;n2.length>
1;){let t4=n2.shift();if(typeof t4=="string"||typeof t4=="number")e2=e2[t4];else throw Error("Invalid key type")}let r2=n2.shift();
if(typeof r2=="string"||typeof r2=="number")e2[r2]=t3;else throw Error("Invalid key type")}async function U(e2,t3=void 0,n2=[],r2=!1,i2=void 0){
if(Array.isArray(e2)){let a2=[];return await Promise.all(e2.map(async(o2,s2)=>{let c2=n2.slice();c2.push(String(s2));let l2=await U(
e2[s2],r2?i2?.parameters[s2]?.component||void 0:t3,c2,!1,i2);a2=a2.concat(l2)})),a2}else{if(globalThis.Buffer&&e2 instanceof globalThis.
Buffer||e2 instanceof Blob)return[{path:n2,blob:e2 instanceof Blob?e2:new Blob([e2]),type:t3}];if(typeof e2=="object"&&e2){let t4=[];
for(let r3 of Object.keys(e2)){let a2=[...n2,r3],o2=e2[r3];t4=t4.concat(await U(o2,void 0,a2,!1,i2))}return t4}}return[]}function Ee(e2,t3){
let n2=t3?.dependencies?.find(t4=>t4.id==e2)?.queue;return n2==null?!t3.enable_queue:!n2}function De(e2,t3){return new Promise((n2,r2)=>{
let i2=new MessageChannel;i2.port1.onmessage=(({data:e3})=>{i2.port1.close(),n2(e3)}),window.parent.postMessage(e2,t3,[i2.port2])})}
function W(e2,t3,n2,r2,i2=!1){if(r2==="input"&&!i2)throw Error("Invalid code path. Cannot skip state inputs for input.");if(r2==="\
output"&&i2)return e2;let a2=[],o2=0,s2=r2==="input"?t3.inputs:t3.outputs;for(let t4=0;t4<s2.length;t4++){let r3=s2[t4];if(n2.find(
e3=>e3.id===r3)?.type==="state"){if(i2)if(e2.length===s2.length){let t5=e2[o2];a2.push(t5),o2++}else a2.push(null);else{o2++;continue}
continue}else{let t5=e2[o2];a2.push(t5),o2++}}return a2}function Ae(e2,t3,n2,r2){if(!r2||typeof e2!="object"||!e2)return;let i2=r2,
a2=new URL(t3),o2=a2.pathname.replace(/\/+$/,""),s2=n2?`/${n2.replace(/^\/+|\/+$/g,"")}`:"",c2=new Set([`${o2}${s2}`,s2]);s2||(c2.
add(`${o2}/gradio_api`),c2.add("/gradio_api"));function l2(e3){if(typeof e3!="object"||!e3)return;let t4=e3;if(t4.meta?._type==="g\
radio.FileData"&&typeof t4.url=="string"){let e4=new URL(t4.url,`${a2.toString().replace(/\/$/,"")}/`),n3=[...c2].some(t5=>ke.some(
n4=>e4.pathname.startsWith(`${t5}${n4}`)));(e4.protocol==="http:"||e4.protocol==="https:")&&e4.origin===a2.origin&&n3&&(e4.searchParams.
set("__sign",i2),t4.url=e4.toString())}for(let e4 of Object.values(t4))l2(e4)}l2(e2)}function je(e2,t3){for(let n2 of e2.components||
[])Ae(n2.props?.value,e2.root,e2.api_prefix||"",t3)}async function Me(e2,t3,n2){let r2=this;await Ne(r2,t3);let i2=await U(t3,void 0,
[],!0,n2);return(await Promise.all(i2.map(async({path:t4,blob:n3,type:i3})=>{if(!n3)return{path:t4,type:i3};let a2=await r2.upload_files(
e2,[n3]);return{path:t4,file_url:a2.files&&a2.files[0],type:i3,name:typeof File<"u"&&n3 instanceof File?n3?.name:void 0}}))).forEach(
({path:e3,file_url:n3,type:r3,name:i3})=>{r3==="Gallery"?Te(t3,n3,e3):n3&&Te(t3,new V({path:n3,orig_name:i3}),e3)}),t3}async function Ne(e2,t3){
if(!(e2.config?.root||e2.config?.root_url))throw Error(fe);await Pe(e2,t3)}async function Pe(e2,t3,n2=[]){for(let r2 in t3)t3[r2]instanceof
H?await Fe(e2,t3,r2):typeof t3[r2]=="object"&&t3[r2]!==null&&await Pe(e2,t3[r2],[...n2,r2])}async function Fe(e2,t3,n2){let r2=t3[n2],
i2=e2.config?.root||e2.config?.root_url;if(!i2)throw Error(fe);try{let a2,o2;if(typeof process<"u"&&process.versions&&process.versions.
node){let e3=await Promise.resolve().then(()=>(init_vite_browser_external_Cgmn0awE(),vite_browser_external_Cgmn0awE_exports)).then(
e4=>c(e4.default,1));o2=(await Promise.resolve().then(()=>(init_vite_browser_external_Cgmn0awE(),vite_browser_external_Cgmn0awE_exports)).
then(e4=>c(e4.default,1))).resolve(process.cwd(),r2.meta.path),a2=await e3.readFile(o2)}else throw Error(de);let s2=new Blob([a2],
{type:"application/octet-stream"}),l2=await e2.upload_files(i2,[s2]),u2=l2.files&&l2.files[0];u2&&(t3[n2]=new V({path:u2,orig_name:r2.
meta.name||""}))}catch(e3){console.error(pe,e3)}}async function Ie(e2,t3,n2){let r2={"Content-Type":"application/json"};this.options.
token&&(r2.Authorization=`Bearer ${this.options.token}`);try{var i2=await this.fetch(e2,{method:"POST",body:JSON.stringify(t3),headers:{
...r2,...n2},credentials:this.options.credentials??"same-origin"})}catch{return[{error:v},500]}let a2,o2;try{a2=await i2.json(),o2=
i2.status}catch(e3){a2={error:`Could not parse server response: ${e3}`},o2=500}return[a2,o2]}async function Le(e2,t3={}){let n2=!1,
r2=!1;if(!this.config)throw Error("Could not resolve app config");if(typeof e2=="number")this.config.dependencies.find(t4=>t4.id==
e2);else{let t4=e2.replace(/^\//,"");this.config.dependencies.find(e3=>e3.id==this.api_map[t4])}let i2=this.submit(e2,t3,null,null,
!0),a2;for await(let e3 of i2){if(e3.type==="data"&&(n2=!0,a2=e3,r2))return a2;if(e3.type==="status"){if(e3.stage==="error"){let{message:t4,
...n3}=e3,r3=Error((typeof t4=="string"?t4:t4&&JSON.stringify(t4))||"An unknown error occurred while making a prediction.");throw Object.
assign(r3,n3),r3}if(e3.stage==="complete"&&(r2=!0,n2))return a2}}return a2}async function G(e2,t3,n2){let r2=t3==="subdomain"?`htt\
ps://huggingface.co/api/spaces/by-subdomain/${e2}`:`https://huggingface.co/api/spaces/${e2}`,i2,a2;try{if(i2=await fetch(r2),a2=i2.
status,a2!==200)throw Error();i2=await i2.json()}catch{n2({status:"error",load_status:"error",message:b,detail:"NOT_FOUND"});return}
if(!i2||a2!==200)return;let{runtime:{stage:o2},id:s2}=i2;switch(o2){case"STOPPED":case"SLEEPING":n2({status:"sleeping",load_status:"\
pending",message:"Space is asleep. Waking it up...",detail:o2}),setTimeout(()=>{G(e2,t3,n2)},1e3);break;case"PAUSED":n2({status:"p\
aused",load_status:"error",message:"This space has been paused by the author. If you would like to try this demo, consider duplica\
ting the space.",detail:o2,discussions_enabled:await Be(s2)});break;case"RUNNING":case"RUNNING_BUILDING":n2({status:"running",load_status:"\
complete",message:"Space is running.",detail:o2});break;case"BUILDING":n2({status:"building",load_status:"pending",message:"Space \
is building...",detail:o2}),setTimeout(()=>{G(e2,t3,n2)},1e3);break;case"APP_STARTING":n2({status:"starting",load_status:"pending",
message:"Space is starting...",detail:o2}),setTimeout(()=>{G(e2,t3,n2)},1e3);break;default:n2({status:"space_error",load_status:"e\
rror",message:"This space is experiencing an issue.",detail:o2,discussions_enabled:await Be(s2)});break}}async function Be(e2){try{
let t3=await fetch(`https://huggingface.co/api/spaces/${e2}/discussions`,{method:"HEAD"}),n2=t3.headers.get("x-error-message");return!(!t3.
ok||n2&&ze.test(n2))}catch{return!1}}async function Ve(e2,t3){let n2={};t3&&(n2.Authorization=`Bearer ${t3}`);try{let t4=await fetch(
`https://huggingface.co/api/spaces/${e2}/${h}`,{headers:n2});if(t4.status!==200)throw Error("Space hardware could not be obtained.");
let{hardware:r2}=await t4.json();return r2.current}catch(e3){throw Error(e3.message)}}async function He(e2,t3,n2){let r2={};n2&&(r2.
Authorization=`Bearer ${n2}`);let i2={seconds:t3};try{let t4=await fetch(`https://huggingface.co/api/spaces/${e2}/${te}`,{method:"\
POST",headers:{"Content-Type":"application/json",...r2},body:JSON.stringify(i2)});if(t4.status!==200)throw Error("Could not set sl\
eep timeout on duplicated Space. Please visit *ADD HF LINK TO SETTINGS* to set a timeout manually to reduce billing charges.");return await t4.
json()}catch(e3){throw Error(e3.message)}}async function We(e2,t3){E(t3);let{token:n2,private:r2,hardware:i2,timeout:a2,auth:o2}=t3;
if(i2&&!Ue.includes(i2))throw Error(`Invalid hardware type provided. Valid types are: ${Ue.map(e3=>`"${e3}"`).join(",")}.`);let{http_protocol:s2,
host:c2}=await I(e2,n2),l2=null;if(o2){let e3=await j(s2,c2,o2,fetch,void 0,t3.credentials);e3&&(l2=N(e3))}let u2={Authorization:`\
Bearer ${n2}`,"Content-Type":"application/json",...l2?{Cookie:l2.join("; ")}:{}},d2=(await(await fetch("https://huggingface.co/api\
/whoami-v2",{headers:u2})).json()).name,f2=e2.split("/")[1],p2={repository:`${d2}/${f2}`};r2&&(p2.private=!0);let m2;try{i2||(m2=await Ve(
e2,n2))}catch(e3){throw Error(x+e3.message)}p2.hardware=i2||m2||"cpu-basic";try{let r3=await fetch(`https://huggingface.co/api/spa\
ces/${e2}/duplicate`,{method:"POST",headers:u2,body:JSON.stringify(p2)});if(r3.status===409)try{return await $.connect(`${d2}/${f2}`,
t3)}catch(e3){throw console.error("Failed to connect Client instance:",e3),e3}else if(r3.status!==200)throw Error(r3.statusText);let i3=await r3.
json();return await He(`${d2}/${f2}`,a2||300,n2),await $.connect(Ge(i3.url),t3)}catch(e3){throw Error(e3)}}function Ge(e2){let t3=e2.
match(/https:\/\/huggingface.co\/spaces\/([^/]+\/[^/]+)/);if(t3)return t3[1]}function Je(){return typeof window<"u"&&typeof document<
"u"&&typeof window.addEventListener=="function"}function Ye(e2){return e2.includes(".dev.")?`https://moon-${e2.split(".")[1]}.dev.\
spaces.huggingface.tech`:e2.endsWith(".hf.space")?"https://huggingface.co":null}function Xe(){if(!Je()||qe)return;window.addEventListener(
"message",e3=>{e3.data===Ke&&(window.supports_zerogpu_headers=!0)}),qe=!0;let e2=Ye(window.location.hostname);e2&&window.parent!==
window&&window.parent.postMessage(Ke,e2)}function Qe(e2){let t3=new TextDecoderStream,n2=new Ze({allowCR:!0});return e2.pipeThrough(
t3).pipeThrough(n2)}function $e(e2){let t3=/[:]\s*/.exec(e2),n2=t3&&t3.index;if(n2)return[e2.substring(0,n2),e2.substring(n2+t3[0].
length)]}function et(e2,t3,n2){e2.get(t3)||e2.set(t3,n2)}async function*tt(e2,t3){if(!e2.body)return;let n2=Qe(e2.body),r2,i2=n2.getReader(),
a2;for(;;){if(t3&&t3.aborted)return i2.cancel();if(r2=await i2.read(),r2.done)return;if(!r2.value){a2&&(yield a2),a2=void 0;continue}
let[e3,n3]=$e(r2.value)||[];e3==="data"?(a2||={},a2[e3]=a2[e3]?a2[e3]+`
`+n3:n3):e3==="event"?(a2||={},a2[e3]=n3):e3==="id"?(a2||={},a2[e3]=String(+n3)===n3?+n3:n3):e3==="retry"&&(a2||={},a2[e3]=+n3||void 0)}}
async function nt(e2,t3){let n2=new Request(e2,t3);et(n2.headers,"Accept","text/event-stream"),et(n2.headers,"Content-Type","appli\
cation/json");let r2=await fetch(n2);if(!r2.ok)throw r2;return tt(r2,n2.signal)}async function rt(){let{event_callbacks:e2,unclosed_events:t3,
pending_stream_messages:n2,stream_status:r2,config:i2,jwt:a2}=this,o2=this;if(!i2)throw Error("Could not resolve app config");r2.open=
!0;let s2=null,c2=new URLSearchParams({session_hash:this.session_hash}).toString(),l2=new URL(`${i2.root}${this.api_prefix}/${u}?${c2}`);
if(a2&&l2.searchParams.set("__sign",a2),s2=this.stream(l2),!s2){console.warn("Cannot connect to SSE endpoint: "+l2.toString());return}
s2.onmessage=async function(a3){let s3=JSON.parse(a3.data);if(s3.msg==="close_stream"){it(r2,o2.abort_controller);return}let c3=s3.
event_id;if(!c3)await Promise.all(Object.keys(e2).map(t4=>e2[t4](s3)));else if(e2[c3]&&i2){s3.msg==="process_completed"&&["sse","s\
se_v1","sse_v2","sse_v2.1","sse_v3"].includes(i2.protocol)&&t3.delete(c3);let n3=e2[c3];typeof window<"u"&&typeof document<"u"&&document.
visibilityState!=="hidden"?setTimeout(n3,0,s3):n3(s3)}else n2[c3]||(n2[c3]=[]),n2[c3].push(s3)},s2.onerror=async function(t4){console.
error(t4),await Promise.all(Object.keys(e2).map(t5=>e2[t5]({msg:"broken_connection",message:v})))}}function it(e2,t3){e2&&(e2.open=
!1,t3?.abort())}function at(e2,t3,n2){e2[t3]?n2.data.forEach((r2,i2)=>{let a2=ot(i2<e2[t3].length?e2[t3][i2]:null,r2);e2[t3][i2]=a2,
n2.data[i2]=a2}):(e2[t3]=[],n2.data.forEach((n3,r2)=>{e2[t3][r2]=n3}))}function ot(e2,t3){return t3.forEach(([t4,n2,r2])=>{e2=st(e2,
n2,t4,r2)}),e2}function st(e2,t3,n2,r2){if(t3.length===0){if(n2==="replace")return r2;if(n2==="append")return e2+r2;throw Error(`U\
nsupported action: ${n2}`)}let i2=e2;for(let e3=0;e3<t3.length-1;e3++)i2=i2[t3[e3]];let a2=t3[t3.length-1];switch(n2){case"replace":
i2[a2]=r2;break;case"append":i2[a2]+=r2;break;case"add":Array.isArray(i2)?i2.splice(Number(a2),0,r2):i2[a2]=r2;break;case"delete":
Array.isArray(i2)?i2.splice(Number(a2),1):delete i2[a2];break;default:throw Error(`Unknown action: ${n2}`)}return e2}function ct(e2,t3={}){
let n2={close:()=>{console.warn("Method not implemented.")},onerror:null,onmessage:null,onopen:null,readyState:0,url:e2.toString(),
withCredentials:!1,CONNECTING:0,OPEN:1,CLOSED:2,addEventListener:()=>{throw Error("Method not implemented.")},dispatchEvent:()=>{throw Error(
"Method not implemented.")},removeEventListener:()=>{throw Error("Method not implemented.")}};return nt(e2,t3).then(async e3=>{n2.
readyState=n2.OPEN;try{for await(let t4 of e3)n2.onmessage&&n2.onmessage(t4);n2.readyState=n2.CLOSED}catch(e4){n2.onerror&&n2.onerror(
e4),n2.readyState=n2.CLOSED}}).catch(e3=>{console.error(e3),n2.onerror&&n2.onerror(e3),n2.readyState=n2.CLOSED}),n2}function J(e2,t3){
try{return e2()}catch(e3){return console.warn("Could not update the run history.",e3),t3}}function Y(e2){if(typeof window>"u")return null;
let t3=e2?.app_id;if(t3==null||t3==="")return null;try{return window.localStorage?`${q}${t3}${e2?.username?`:user:${encodeURIComponent(
e2.username)}`:""}`:null}catch{return null}}function ht(e2){let t3=Y(e2);return t3?t3.replace(q,ut):null}function gt(e2){let t3=ht(
e2);if(!t3)return{type:"browser"};try{let e3=JSON.parse(window.localStorage.getItem(t3)||"null");return typeof e3?.bucket_id=="str\
ing"?e3.type==="bucket"?{type:"bucket",bucket_id:e3.bucket_id}:{type:"browser",bucket_id:e3.bucket_id}:{type:"browser"}}catch{return{
type:"browser"}}}function vt(e2){try{let t3=JSON.parse(window.localStorage.getItem(e2)||"[]");return Array.isArray(t3)&&t3.length&&
Date.parse(t3[0]?.started_at)||0}catch{return 0}}function yt(e2){let t3=Object.keys(window.localStorage).filter(e3=>e3.startsWith(
K)),n2=[...t3.filter(e3=>!e3.startsWith(q)&&!e3.startsWith(lt)&&!e3.startsWith(ut)),...t3.filter(t4=>t4.startsWith(q)&&t4!==e2).sort(
(e3,t4)=>vt(t4)-vt(e3)).slice(ft-1)];for(let e3 of n2)try{window.localStorage.removeItem(e3),window.sessionStorage.removeItem(e3.replace(
q,lt))}catch{}}function bt(){return typeof crypto<"u"&&crypto.randomUUID?crypto.randomUUID():`${Date.now()}-${Math.random().toString(
36).slice(2)}`}function X(e2){let t3=new WeakSet;try{return JSON.parse(JSON.stringify(e2,(e3,n2)=>{if(typeof n2=="bigint")return n2.
toString();if(typeof n2=="object"&&n2){if(t3.has(n2))return"[Circular]";t3.add(n2)}return n2}))}catch{return"[Unserializable value\
]"}}function Z(e2){let t3=Y(e2);if(!t3)return[];try{let e3=JSON.parse(window.localStorage.getItem(t3)||"[]");return Array.isArray(
e3)?e3:[]}catch{return[]}}function xt(e2,t3){let n2=Y(e2);if(!n2)return;let r2=t3.slice(0,dt),i2=!1;for(;r2.length>0;)try{window.localStorage.
setItem(n2,JSON.stringify(r2));return}catch{if(!i2){i2=!0,yt(n2);continue}r2=r2.slice(0,-1)}try{window.localStorage.removeItem(n2)}catch{}}
function St(e2){let t3=Y(e2);if(t3){try{window.localStorage.removeItem(t3)}catch{}Tt()}}function Tt(){if(!(typeof window>"u"))try{
window.dispatchEvent(new Event(wt))}catch{}}function jt(e2){if(gt(e2).type==="bucket")return null;let t3=Y(e2);if(!t3)return null;
yt(t3);let n2={id:bt(),endpoint:e2.endpoint,api_name:e2.api_name,fn_index:e2.fn_index,page:`${window.location.pathname}${window.location.
search}`,inputs:X(e2.inputs),outputs:null,...e2.input_components?{input_components:X(e2.input_components)}:{},...e2.output_components?
{output_components:X(e2.output_components)}:{},status:"running",started_at:new Date().toISOString()};return xt(e2,[n2,...Z(e2)]),Tt(),
n2.id}function Mt(e2,t3,n2){if(!t3)return;let r2=Z(e2),i2=r2.find(e3=>e3.id===t3);i2&&(i2.inputs=X(n2),xt(e2,r2))}function Nt(e2,t3,n2){
if(!t3)return;let r2=Z(e2),i2=r2.find(e3=>e3.id===t3);if(!i2)return;let a2=!1;if(n2.type==="data")i2.outputs=X(n2.data),Q.set(t3,i2.
outputs);else if(n2.type==="status"&&n2.original_msg==="process_starts")It(i2,n2.time);else if(n2.type==="status"&&(n2.stage==="ge\
nerating"||n2.stage==="streaming"))i2.streamed=!0;else if(n2.type==="status"&&n2.stage==="complete")i2.status="completed",Lt(i2,n2),
a2=!0;else if(n2.type==="status"&&n2.stage==="error")i2.status="failed",i2.error=typeof n2.message=="string"?n2.message:JSON.stringify(
n2.message||"Unknown error"),Lt(i2,n2),a2=!0;else return;if(a2)Q.has(t3)&&(i2.outputs=Q.get(t3)),Q.delete(t3),Ft.delete(t3);else if(i2.
streamed){if(Date.now()-(Ft.get(t3)??0)<Pt)return;Ft.set(t3,Date.now()),Q.delete(t3)}xt(e2,r2)}function It(e2,t3){if(e2.process_started_at)
return;let n2=t3||new Date;e2.process_started_at=n2.toISOString(),e2.queued_ms=Math.max(0,n2.getTime()-Date.parse(e2.started_at))}
function Lt(e2,t3){let n2=t3.time||new Date;e2.completed_at=n2.toISOString(),e2.duration_ms=(!e2.streamed&&typeof t3.cache_duration==
"number"&&t3.cache_duration>=0?t3.cache_duration*1e3:null)??Math.max(0,n2.getTime()-Date.parse(e2.process_started_at||e2.started_at))}
function zt(e2){return J(()=>gt(e2),{type:"browser"})}function Vt(e2){J(()=>St(e2),void 0)}function Kt(e2){return J(()=>jt(e2),null)}
function qt(e2,t3,n2){J(()=>Mt(e2,t3,n2),void 0)}function Jt(e2,t3,n2){J(()=>Nt(e2,t3,n2),void 0)}function Xt(e2,t3={},n2,r2,i2,a2){
try{let R2=function(e3){Jt(D2,k2,e3),(e3.type==="data"||e3.type==="render")&&Ae(e3.data,se2,b2,x2.jwt),(i2||ge2[e3.type])&&Te2(e3)},
V2=function(){for(Ce2=!0;B.length>0;)B.shift()({value:void 0,done:!0})},H2=function(e3){B.length>0?B.shift()(e3):z2.push(e3)},we2=function(e3){
H2(Zt(e3)),V2()},Te2=function(e3){H2({value:e3,done:!1})},U2=function(){return z2.length>0?Promise.resolve(z2.shift()):Ce2?Promise.
resolve({value:void 0,done:!0}):new Promise(e3=>B.push(e3))},{token:o2}=this.options,{fetch:s2,app_reference:c2,config:l2,session_hash:f2,
api_info:p2,api_map:m2,stream_status:ee2,pending_stream_messages:h2,pending_diff_streams:te2,event_callbacks:g2,unclosed_events:ne2,
post_data:_2,options:y2,api_prefix:b2}=this,oe2=a2||{"x-gradio-user":"api"},x2=this;if(!p2)throw Error(le);if(!l2)throw Error("Cou\
ld not resolve app config");let se2=l2.root,{fn_index:S2,endpoint_info:C2,dependency:w}=Qt(p2,e2,m2,l2),ce2=ye(t3,C2),T2=l2.protocol??
"ws";if(T2==="ws")throw Error(ue);let de2=typeof w.api_name=="string"?`/${w.api_name}`:e2,fe2=typeof w.api_name=="string"?`/${w.api_name}`:
`Function ${S2}`,pe2=e3=>{let t4=l2.components.find(t5=>t5.id===e3);return t4?{type:t4.type,component_class_id:t4.component_class_id,
props:t4.props}:null},me2=w.api_visibility==="public",E2=l2.run_history!==!1&&this.options.record_history!==!1,D2={app_id:l2.app_id,
username:l2.username},he2=zt(D2),O2={...oe2,...E2&&he2.type==="bucket"?{"x-gradio-history-bucket":he2.bucket_id}:{}},k2=!E2||!me2?
null:Kt({...D2,endpoint:de2,api_name:fe2,fn_index:S2,inputs:W(ce2,w,l2.components,"input",!0),input_components:w.inputs.map(pe2),output_components:w.
outputs.map(pe2)}),A2,j2="",M2=typeof e2=="number"?"/predict":e2,N2,P2=null,F2=!1,I2={},L2=typeof window<"u"&&typeof document<"u"?
new URLSearchParams(window.location.search).toString():"",ge2=y2?.events?.reduce((e3,t4)=>(e3[t4]=!0,e3),{})||{};async function _e2(){
let e3={},t4={};e3={event_id:P2},t4={event_id:P2,session_hash:f2,fn_index:S2};try{if(!l2)throw Error("Could not resolve app config");
"event_id"in t4&&await s2(`${l2.root}${b2}/${ie}`,{headers:{"Content-Type":"application/json"},method:"POST",body:JSON.stringify(t4)}),
await s2(`${l2.root}${b2}/${re}`,{headers:{"Content-Type":"application/json"},method:"POST",body:JSON.stringify(e3)})}catch{console.
warn("The `/reset` endpoint could not be called. Subsequent endpoint results may be unreliable.")}}let be2=async e3=>{await this._resolve_heartbeat(
e3)};async function xe2(e3){if(!l2)return;let t4=e3.render_id;l2.components=[...l2.components.filter(e4=>e4.props.rendered_in!==t4),
...e3.components],l2.dependencies=[...l2.dependencies.filter(e4=>e4.rendered_in!==t4),...e3.dependencies];let n3=l2.components.some(
e4=>e4.type==="state"),r3=l2.dependencies.some(e4=>e4.targets.some(e5=>e5[1]==="unload"));l2.connect_heartbeat=n3||r3,await be2(l2),
R2({type:"render",data:e3,endpoint:M2,fn_index:S2})}let Se2=this.handle_blob(l2.root,ce2,C2).then(async e3=>{let t4=W(e3,w,l2.components,
"input",!0);if(qt(D2,k2,t4||[]),N2={data:t4||[],event_data:n2,fn_index:S2,trigger_id:r2,...y2.oauth_token&&C2?.oauth_token?{oauth_token:y2.
oauth_token}:{}},Ee(S2,l2))R2({type:"status",endpoint:M2,stage:"pending",queue:!1,fn_index:S2,time:new Date}),_2(`${l2.root}${b2}/\
run${M2.startsWith("/")?M2:`/${M2}`}${L2?"?"+L2:""}`,{...N2,session_hash:f2},O2).then(async([e4,t5])=>{let i4=e4.data;if(t5==200)R2(
{type:"data",endpoint:M2,fn_index:S2,data:W(i4,w,l2.components,"output",y2.with_null_state),time:new Date,event_data:n2,trigger_id:r2}),
e4.render_config&&await xe2(e4.render_config),R2({type:"status",endpoint:M2,fn_index:S2,stage:"complete",eta:e4.average_duration,queue:!1,
time:new Date});else{let t6=e4?.error===v;R2({type:"status",stage:"error",endpoint:M2,fn_index:S2,message:e4.error,broken:t6,queue:!1,
time:new Date})}}).catch(e4=>{R2({type:"status",stage:"error",message:e4.message,endpoint:M2,fn_index:S2,queue:!1,time:new Date})});else if(T2==
"sse"){R2({type:"status",stage:"pending",queue:!0,endpoint:M2,fn_index:S2,time:new Date});var i3=new URLSearchParams({fn_index:S2.
toString(),session_hash:f2}).toString();let e4=new URL(`${l2.root}${b2}/${u}?${L2?L2+"&":""}${i3}`);if(this.jwt&&e4.searchParams.set(
"__sign",this.jwt),A2=this.stream(e4),!A2)return Promise.reject(Error("Cannot connect to SSE endpoint: "+e4.toString()));A2.onmessage=
async function(e5){let{type:t5,status:i4,data:a3}=ve(JSON.parse(e5.data),I2[S2]);if(t5==="update"&&i4&&!F2)R2({type:"status",endpoint:M2,
fn_index:S2,time:new Date,...i4}),i4.stage==="error"&&(A2?.close(),V2());else if(t5==="data"){let[e6,t6]=await _2(`${l2.root}${b2}\
/queue/data`,{...N2,session_hash:f2,event_id:P2},O2);t6!==200&&(R2({type:"status",stage:"error",message:v,queue:!0,endpoint:M2,fn_index:S2,
time:new Date}),A2?.close(),V2())}else t5==="complete"?F2=i4:t5==="log"?R2({type:"log",title:a3.title,log:a3.log,level:a3.level,endpoint:M2,
duration:a3.duration,visible:a3.visible,fn_index:S2}):(t5==="generating"||t5==="streaming")&&R2({type:"status",time:new Date,...i4,
stage:i4?.stage,queue:!0,endpoint:M2,fn_index:S2});a3&&(R2({type:"data",time:new Date,data:W(a3.data,w,l2.components,"output",y2.with_null_state),
endpoint:M2,fn_index:S2,event_data:n2,trigger_id:r2}),F2&&(R2({type:"status",time:new Date,...F2,stage:i4?.stage,queue:!0,endpoint:M2,
fn_index:S2}),A2?.close(),V2()))}}else if(T2=="sse_v1"||T2=="sse_v2"||T2=="sse_v2.1"||T2=="sse_v3"){R2({type:"status",stage:"pendi\
ng",queue:!0,endpoint:M2,fn_index:S2,time:new Date});let e4="";typeof window<"u"&&typeof document<"u"&&(e4=window?.location?.hostname);
let t5=Ye(e4);return(typeof window<"u"&&typeof document<"u"&&window.parent!=window&&t5&&window.supports_zerogpu_headers?De("zerogp\
u-headers",t5):Promise.resolve(null)).then(e5=>{let t6={...O2,...e5||{}};return _2(`${l2.root}${b2}/${d}?${L2}`,{...N2,session_hash:f2},
t6)}).then(async([e5,t6])=>{if(e5.event_id&&(j2=e5.event_id),t6===503)R2({type:"status",stage:"error",message:ae,queue:!0,endpoint:M2,
fn_index:S2,time:new Date,visible:!0}),V2();else if(t6===422)R2({type:"status",stage:"error",message:e5.detail,queue:!0,endpoint:M2,
fn_index:S2,code:"validation_error",time:new Date,visible:!0}),V2();else if(t6!==200){let t7=e5?.error===v;R2({type:"status",stage:"\
error",broken:t7,message:t7?v:e5.detail||e5.error,queue:!0,endpoint:M2,fn_index:S2,time:new Date,visible:!0}),V2()}else{P2=e5.event_id,
j2=P2;let t7=async function(e6){try{let{type:t8,status:n3,data:r3,original_msg:i4}=ve(e6,I2[S2]);if(t8=="heartbeat")return;if(t8===
"update"&&n3&&!F2)R2({type:"status",endpoint:M2,fn_index:S2,time:new Date,original_msg:i4,...n3});else if(t8==="complete")F2=n3;else if(t8==
"unexpected_error"||t8=="broken_connection"){console.error("Unexpected error",n3?.message);let e7=t8==="broken_connection";R2({type:"\
status",stage:"error",message:n3?.message||"An Unexpected Error Occurred!",queue:!0,endpoint:M2,broken:e7,session_not_found:n3?.session_not_found,
fn_index:S2,time:new Date})}else if(t8==="log"){R2({type:"log",title:r3.title,log:r3.log,level:r3.level,endpoint:M2,duration:r3.duration,
visible:r3.visible,fn_index:S2});return}else(t8==="generating"||t8==="streaming")&&(R2({type:"status",time:new Date,...n3,stage:n3?.
stage,queue:!0,endpoint:M2,fn_index:S2}),r3&&w.connection!=="stream"&&["sse_v2","sse_v2.1","sse_v3"].includes(T2)&&at(te2,P2,r3));
r3&&(R2({type:"data",time:new Date,data:W(r3.data,w,l2.components,"output",y2.with_null_state),endpoint:M2,fn_index:S2}),r3.render_config&&
await xe2(r3.render_config),F2&&(R2({type:"status",time:new Date,...F2,stage:n3?.stage,queue:!0,endpoint:M2,fn_index:S2}),V2())),(n3?.
stage==="complete"||n3?.stage==="error")&&(g2[P2]&&delete g2[P2],P2 in te2&&delete te2[P2],V2())}catch(e7){console.error("Unexpect\
ed client exception",e7),R2({type:"status",stage:"error",message:"An Unexpected Error Occurred!",queue:!0,endpoint:M2,fn_index:S2,
time:new Date}),["sse_v2","sse_v2.1","sse_v3"].includes(T2)&&(it(ee2,x2.abort_controller),ee2.open=!1,V2())}};P2 in h2&&(h2[P2].forEach(
e6=>t7(e6)),delete h2[P2]),g2[P2]=t7,ne2.add(P2),ee2.open||await this.open_stream()}})}});Se2.catch(e3=>{R2({type:"status",stage:"\
error",message:e3 instanceof Error?e3.message:String(e3),queue:!Ee(S2,l2),endpoint:M2,fn_index:S2,time:new Date}),V2()});let Ce2=!1,
z2=[],B=[],Oe={[Symbol.asyncIterator]:()=>Oe,next:U2,throw:async e3=>(we2(e3),U2()),return:async()=>(V2(),{value:void 0,done:!0}),
cancel:_e2,send_chunk:e3=>{this.post_data(`${l2.root}${b2}/stream/${j2}`,{...e3,session_hash:this.session_hash})},close_stream:()=>{
this.post_data(`${l2.root}${b2}/stream/${j2}/close`,{}),V2()},event_id:()=>j2,wait_for_id:async()=>(await Se2,P2)};return Oe}catch(e3){
throw console.error("Submit function encountered an error:",e3),e3}}function Zt(e2){return{then:(t3,n2)=>n2(e2)}}function Qt(e2,t3,n2,r2){
let i2,a2,o2;if(typeof t3=="number")i2=t3,a2=e2.unnamed_endpoints[i2],o2=r2.dependencies.find(e3=>e3.id==t3);else{let s2=t3.replace(
/^\//,"");i2=n2[s2],a2=e2.named_endpoints[t3.trim()]??e2.named_endpoints[`/${s2}`],o2=r2.dependencies.find(e3=>e3.id==n2[s2])}if(typeof i2!=
"number"||!o2){let e3=r2.dependencies.filter(e4=>e4.api_name).map(e4=>`"/${e4.api_name}"`).join(", ");throw Error(`No endpoint mat\
ching ${JSON.stringify(t3)} was found. `+(e3?`Valid named endpoints are: ${e3}. `:"This app exposes no named endpoints. ")+"An fn_\
index (number) of an existing dependency can also be used.")}return{fn_index:i2,endpoint_info:a2,dependency:o2}}var e,t2,n,r,i,a,o,
s,c,l,u,d,f,p,m,ee,h,te,g,ne,re,ie,_,ae,v,y,b,oe,x,se,S,C,ce,T,le,ue,de,fe,pe,N,P,F,L,ye,Se,V,H,we,ke,Re,ze,Ue,Ke,qe,Ze,K,q,lt,ut,
dt,ft,wt,Pt,Ft,Q,$,init_browser=__esm({"../node_modules/@gradio/client/dist/browser.js"(){e=Object.create,t2=Object.defineProperty,
n=Object.getOwnPropertyDescriptor,r=Object.getOwnPropertyNames,i=Object.getPrototypeOf,a=Object.prototype.hasOwnProperty,o=(e2,t3)=>()=>(t3||
(e2((t3={exports:{}}).exports,t3),e2=null),t3.exports),s=(e2,i2,o2,s2)=>{if(i2&&typeof i2=="object"||typeof i2=="function")for(var c2=r(
i2),l2=0,u2=c2.length,d2;l2<u2;l2++)d2=c2[l2],!a.call(e2,d2)&&d2!==o2&&t2(e2,d2,{get:(e3=>i2[e3]).bind(null,d2),enumerable:!(s2=n(
i2,d2))||s2.enumerable});return e2},c=(n2,r2,a2)=>(a2=n2==null?{}:e(i(n2)),s(r2||!n2||!n2.__esModule?t2(a2,"default",{value:n2,enumerable:!0}):
a2,n2)),l="host",u="queue/data",d="queue/join",f="upload",p="login",m="config",ee="info",h="runtime",te="sleeptime",g="heartbeat",
ne="component_server",re="reset",ie="cancel",_="app_id",ae="This application is currently busy. Please try again. ",v="Connection \
errored out. ",y="Could not resolve app config. ",b="Could not get space status. ",oe="Could not get API info. ",x="Space metadata\
 could not be loaded. ",se="Invalid URL. A full URL path is required.",S="Not authorized to access this space. ",C="Invalid creden\
tials. Could not login. ",ce="Could not access this app (received a 401 response). If it is a private Hugging Face Space, pass a v\
alid Hugging Face token to the `token` option of `Client.connect`. You can generate a token at https://huggingface.co/settings/tok\
ens.",T=(e2,t3)=>`Space "${e2}" could not be accessed (received a ${t3} response from the Hugging Face API). Check that the Space \
name is spelled correctly and that the Space exists. If the Space is private, pass a valid Hugging Face token to the \`token\` optio\
n of \`Client.connect\`. You can generate a token at https://huggingface.co/settings/tokens.`,le="No API information is available \
for this app. This can happen when the app's `/info` endpoint cannot be reached, or when the app is running a legacy version of Gr\
adio that is not supported by this client. ",ue="This app appears to be running a legacy version of Gradio (3.x or earlier) that c\
ommunicates over WebSockets, which is not supported by this version of @gradio/client. Please upgrade the app to a newer version o\
f Gradio, or connect to it with @gradio/client version 0.x.",de="File system access is only available in Node.js environments",fe=
"Root URL not found in client config",pe="Error uploading file";N=e2=>{let t3=[];return e2.split(/,(?=\s*[^\s=;]+=[^\s=;]+)/).forEach(
e3=>{let[n2,r2]=e3.split(";")[0].split("=");n2&&r2&&t3.push(`${n2.trim()}=${r2.trim()}`)}),t3},P=/^[a-zA-Z0-9_\-\.]+\/[a-zA-Z0-9_\-\.]+$/,
F=/.*hf\.space\/{0,1}.*$/;L=(...e2)=>{try{return e2.reduce((e3,t3)=>(e3=e3.replace(/\/+$/,""),t3=t3.replace(/^\/+/,""),new URL(t3,
e3+"/").toString()))}catch{throw Error(se)}};ye=(e2=[],t3)=>{let n2=t3?t3.parameters:[];if(Array.isArray(e2))return t3&&n2.length>
0&&e2.length>n2.length&&console.warn("Too many arguments provided for the endpoint."),e2;let r2=[],i2=Object.keys(e2);return n2.forEach(
(t4,n3)=>{if(e2.hasOwnProperty(t4.parameter_name))r2[n3]=e2[t4.parameter_name];else if(t4.parameter_has_default)r2[n3]=t4.parameter_default;else
throw Error(`No value provided for required parameter: ${t4.parameter_name}`)}),i2.forEach(e3=>{if(!n2.some(t4=>t4.parameter_name===
e3))throw Error(`Parameter \`${e3}\` is not a valid keyword argument. Please refer to the API for usage.`)}),r2.forEach((e3,t4)=>{
if(e3===void 0&&!n2[t4].parameter_has_default)throw Error(`No value provided for required parameter: ${n2[t4].parameter_name}`)}),
r2};Se={si:{radix:1e3,unit:["b","kb","Mb","Gb","Tb","Pb","Eb","Zb","Yb"]},iec:{radix:1024,unit:["b","Kib","Mib","Gib","Tib","Pib",
"Eib","Zib","Yib"]},jedec:{radix:1024,unit:["b","Kb","Mb","Gb","Tb","Pb","Eb","Zb","Yb"]}};V=class{path;url;orig_name;size;blob;is_stream;mime_type;alt_text;b64;meta={
_type:"gradio.FileData"};constructor({path:e2,url:t3,orig_name:n2,size:r2,blob:i2,is_stream:a2,mime_type:o2,alt_text:s2,b64:c2}){this.
path=e2,this.url=t3,this.orig_name=n2,this.size=r2,this.blob=t3?void 0:i2,this.is_stream=a2,this.mime_type=o2,this.alt_text=s2,this.
b64=c2}},H=class{type;command;meta;fileData;constructor(e2,t3){this.type="command",this.command=e2,this.meta=t3}},we=typeof process<
"u"&&process.versions&&process.versions.node;ke=["/file=","/file/","/stream/","/proxy="];Re=async(e2,t3)=>{let n2=0;return new Promise(
r2=>{G(e2,P.test(e2)?"space_name":"subdomain",i2=>{t3(i2),i2.status==="running"||i2.status==="error"||i2.status==="paused"||i2.status===
"space_error"?r2():(i2.status==="sleeping"||i2.status==="building")&&(n2<12?(n2++,setTimeout(()=>{Re(e2,t3).then(r2)},5e3)):r2())})})},
ze=/^(?=[^]*\b[dD]iscussions{0,1}\b)(?=[^]*\b[dD]isabled\b)[^]*$/;Ue=["cpu-basic","cpu-upgrade","cpu-xl","t4-small","t4-medium","a\
10g-small","a10g-large","a10g-largex2","a10g-largex4","a100-large","zero-a10g","h100","h100x8"];Ke="supports-zerogpu-headers",qe=!1;
Ze=class extends TransformStream{#e="";constructor(e2={allowCR:!1}){super({transform:(t3,n2)=>{for(t3=this.#e+t3;;){let r2=t3.indexOf(
`
`),i2=e2.allowCR?t3.indexOf("\r"):-1;if(i2!==-1&&i2!==t3.length-1&&(r2===-1||r2-1>i2)){n2.enqueue(t3.slice(0,i2)),t3=t3.slice(i2+1);
continue}if(r2===-1)break;let a2=t3[r2-1]==="\r"?r2-1:r2;n2.enqueue(t3.slice(0,a2)),t3=t3.slice(r2+1)}this.#e=t3},flush:t3=>{if(this.#e===
"")return;let n2=e2.allowCR&&this.#e.endsWith("\r")?this.#e.slice(0,-1):this.#e;t3.enqueue(n2)}})}};K="gradio:run-history:",q=`${K}\
v2:`,lt=`${K}replay:v2:`,ut=`${K}destination:v1:`,dt=100,ft=8;wt="gradio:run-history-change";Pt=500,Ft=new Map,Q=new Map;$=class{app_reference;options;deep_link=null;page=null;config;api_prefix="";api_info;api_map={};session_hash=Math.
random().toString(36).substring(2);jwt=!1;last_status={};cookies=null;stream_status={open:!1};closed=!1;pending_stream_messages={};pending_diff_streams={};event_callbacks={};unclosed_events=new Set;heartbeat_event=null;abort_controller=null;stream_instance=null;current_payload;get_url_config(e2=null){
if(!this.config)throw Error(y);e2===null&&(e2=window.location.href);let t3=e3=>e3.replace(/^\/+|\/+$/g,""),n2=t3(new URL(this.config.
root).pathname),r2=t3(new URL(e2).pathname),i2;return i2=r2.startsWith(n2)?t3(r2.substring(n2.length)):"",this.get_page_config(i2)}get_page_config(e2){
if(!this.config)throw Error(y);let t3=this.config;return e2 in t3.page||(e2=""),{...t3,current_page:e2,layout:t3.page[e2].layout,components:t3.
components.filter(n2=>t3.page[e2].components.includes(n2.id)),dependencies:this.config.dependencies.filter(n2=>t3.page[e2].dependencies.
includes(n2.id))}}fetch(e2,t3){let n2=new Headers(t3?.headers||{});return this&&this.cookies&&n2.append("Cookie",this.cookies),this&&
this.options.headers&&new Headers(this.options.headers).forEach((e3,t4)=>{n2.append(t4,e3)}),fetch(e2,{...t3,headers:n2})}stream(e2){
let t3=new Headers;return this&&this.cookies&&t3.append("Cookie",this.cookies),this&&this.options.headers&&new Headers(this.options.
headers).forEach((e3,n2)=>{t3.append(n2,e3)}),this&&this.options.token&&t3.append("Authorization",`Bearer ${this.options.token}`),
this.abort_controller=new AbortController,this.stream_instance=ct(e2.toString(),{credentials:this.options.credentials??"same-origi\
n",headers:t3,signal:this.abort_controller.signal}),this.stream_instance}view_api;upload_files;upload;handle_blob;post_data;submit;predict;open_stream;resolve_config;resolve_cookies;constructor(e2,t3={
events:["data"]}){this.app_reference=e2,this.deep_link=t3.query_params?.deep_link||null,this.page=t3.query_params?.page??null,t3.events||=
["data"],E(t3),this.options=t3,this.current_payload={},t3.cookies&&(this.cookies=t3.cookies),this.view_api=be.bind(this),this.upload_files=
xe.bind(this),this.handle_blob=Me.bind(this),this.post_data=Ie.bind(this),this.submit=Xt.bind(this),this.predict=Le.bind(this),this.
open_stream=rt.bind(this),this.resolve_config=O.bind(this),this.resolve_cookies=A.bind(this),this.upload=z.bind(this),this.fetch=this.
fetch.bind(this),this.handle_space_success=this.handle_space_success.bind(this),this.stream=this.stream.bind(this)}async init(){Xe(),
this.options.auth&&await this.resolve_cookies(),await this._resolve_config().then(e2=>e2?.config&&this._resolve_heartbeat(e2.config));
try{this.api_info=await this.view_api()}catch(e2){console.error(e2.message)}this.api_map=D(this.config?.dependencies||[])}async _resolve_heartbeat(e2){
if(this.config=e2,this.api_prefix=e2.api_prefix||"",e2.space_id&&this.options.token&&(this.jwt=await me(e2.space_id,this.options.token,
this.cookies)),je(this.config,this.jwt),this.config&&this.config.connect_heartbeat){let e3=new URL(`${this.config.root}${this.api_prefix}\
/${g}/${this.session_hash}`);this.jwt&&e3.searchParams.set("__sign",this.jwt),this.heartbeat_event||=this.stream(e3)}}static async connect(e2,t3={
events:["data"]}){let n2=new this(e2,t3);return t3.session_hash&&(n2.session_hash=t3.session_hash),await n2.init(),n2}async reconnect(){
let e2=new URL(`${this.config.root}${this.api_prefix}/${_}`),t3;try{let n2=await this.fetch(e2);if(!n2.ok)throw Error();t3=(await n2.
json()).app_id}catch{return"broken"}return t3===this.config.app_id?"connected":"changed"}close(){this.closed=!0,it(this.stream_status,
this.abort_controller)}async refresh(){if(!this.config)throw Error(y);let e2=await this.resolve_config(this.config.root,!1);if(!e2)
throw Error(y);this.config=e2,this.api_prefix=e2.api_prefix||"",this.api_map=D(e2.dependencies||[]),je(this.config,this.jwt);try{this.
api_info=await this.view_api()}catch(e3){console.error(oe+e3.message)}return this.get_url_config()}set_current_payload(e2){this.current_payload=
e2}static async duplicate(e2,t3={events:["data"]}){return We(e2,t3)}async _resolve_config(){let{http_protocol:e2,host:t3,space_id:n2}=await I(
this.app_reference,this.options.token),{status_callback:r2}=this.options;n2&&r2&&await Re(n2,r2);let i2;try{let n3=`${e2}//${t3}`;
if(i2=await this.resolve_config(n3),!i2)throw Error(y);return this.config_success(i2)}catch(e3){if(n2&&r2)G(n2,P.test(n2)?"space_n\
ame":"subdomain",this.handle_space_success);else throw r2&&r2({status:"error",message:"Could not load this space.",load_status:"er\
ror",detail:"NOT_FOUND"}),e3 instanceof Error?e3:Error(String(e3))}}async config_success(e2){if(this.config=e2,this.api_prefix=e2.
api_prefix||"",e2.run_history===!1&&Vt({app_id:e2.app_id,username:e2.username}),this.config.auth_required)return this.prepare_return_obj();
try{this.api_info=await this.view_api()}catch(e3){console.error(oe+e3.message)}return this.prepare_return_obj()}async handle_space_success(e2){
if(!this)throw Error(y);let{status_callback:t3}=this.options;if(t3&&t3(e2),e2.status==="running")try{if(this.config=await this._resolve_config(),
this.api_prefix=this?.config?.api_prefix||"",!this.config)throw Error(y);return await this.config_success(this.config)}catch(e3){throw t3&&
t3({status:"error",message:"Could not load this space.",load_status:"error",detail:"NOT_FOUND"}),e3}}async component_server(e2,t3,n2){
if(!this.config)throw Error(y);let r2={},{token:i2}=this.options,{session_hash:a2}=this;i2&&(r2.Authorization=`Bearer ${this.options.
token}`);let o2,s2=this.config.components.find(t4=>t4.id===e2);o2=s2?.props?.root_url?s2.props.root_url:this.config.root;let c2;if(typeof n2==
"object"&&n2&&"binary"in n2){let r3=n2;c2=new FormData;for(let e3 in r3.data)e3!=="binary"&&c2.append(e3,r3.data[e3]);c2.set("comp\
onent_id",e2.toString()),c2.set("fn_name",t3),c2.set("session_hash",a2)}else c2=JSON.stringify({data:n2,component_id:e2,fn_name:t3,
session_hash:a2}),r2["Content-Type"]="application/json";i2&&(r2.Authorization=`Bearer ${i2}`);try{let e3=await this.fetch(`${o2}${this.
api_prefix}/${ne}/`,{method:"POST",body:c2,headers:r2,credentials:this.options.credentials??"same-origin"});if(!e3.ok)throw Error(
"Could not connect to component server: "+e3.statusText);let t4=await e3.json();return Ae(t4,this.config.root,this.config.api_prefix||
"",this.jwt),t4}catch(e3){console.warn(e3)}}set_cookies(e2){this.cookies=N(e2).join("; ")}prepare_return_obj(){return{config:this.
config,predict:this.predict,submit:this.submit,view_api:this.view_api,component_server:this.component_server}}}}});function explain(root){let box=document.querySelector("#term-said")??document.createElement("div");box.id="term-said",box.popover=
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
buffer,byteOffset,byteLength),text="";for(let i2=0;i2<bytes.length;i2+=4096)text+=String.fromCharCode(...bytes.subarray(i2,i2+4096));
return btoa(text)}var RARE=[0,10,13,34,38,60,92],BEYOND=160;function bytesOfSeptets(text,length){let bytes=new Uint8Array(length),[at2,held,bits]=[0,
0,0];for(let index2=0;index2<text.length;index2++){let letter=text.charCodeAt(index2);letter>=BEYOND&&(held=held<<7|RARE[letter-BEYOND>>
7],bits+=7,bits>=8&&(bytes[at2++]=held>>(bits-=8)),letter=letter-BEYOND&127),held=held<<7|letter,bits+=7,bits>=8&&(bytes[at2++]=held>>
(bits-=8))}return bytes}var Cargo=class{constructor(){this.about=JSON.parse(document.getElementById("about").textContent),this.had=new Map}get(name2){return this.
had.has(name2)||this.had.set(name2,this.fetch(name2)),this.had.get(name2)}async fetch(name2){let inside=document.querySelector(`sc\
ript[data-blob="${name2}"]`),packed2=inside?inlined(inside):await this.sent(`data/${name2}.bin`),unpacked=new Blob([packed2]).stream().
pipeThrough(new DecompressionStream("gzip"));return inOrder(new Uint8Array(await new Response(unpacked).arrayBuffer()))}async sent(path){
let answer=await fetch(path);if(!answer.ok)throw new Error(`${path}: ${answer.status}`);return new Uint8Array(await answer.arrayBuffer())}},
inlined=({type,textContent,dataset})=>type==="text/base64"?bytesOf(textContent):bytesOfSeptets(textContent,Number(dataset.bytes));
function inOrder(bytes){if(bytes[0]===1)return bytes.slice(1);let ordered=new Uint8Array(bytes.length-1),seconds=Math.ceil(ordered.
length/2)+1;for(let at2=0;at2<ordered.length;at2++)ordered[at2]=bytes[at2&1?seconds+(at2>>1):1+(at2>>1)];return ordered}function closing(box){box.addEventListener("keydown",event=>{box.open&&(event.stopPropagation(),event.key==="Escape"&&(box.open=!1,
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
past:[]},OF_PICTURE={place:null,token:null,pinned:!1,hover:null,number:null,direction:"from",question:!0,...OF_FRAME};var MOST2=5;var STORE="uploads",inBrowser={async all(){return(await asked("readonly",store=>store.getAll())??[]).sort((a2,b2)=>b2.when-a2.when)},
async keep(one){await asked("readwrite",store=>store.put({...one,when:Date.now()}));for(let{id}of(await inBrowser.all()).slice(MOST2))
await asked("readwrite",store=>store.delete(id))},async clear(){await asked("readwrite",store=>store.clear())},help:words=>words.link.
keeps},database=null;async function asked(mode,what){try{return database??=opened(),await done(what((await database).transaction(STORE,
mode).objectStore(STORE)))}catch{return null}}function opened(){let opening=indexedDB.open("vizapp",1);return opening.onupgradeneeded=
()=>opening.result.createObjectStore(STORE,{keyPath:"id"}),done(opening)}var done=request=>new Promise((found,failed)=>{request.onsuccess=
()=>found(request.result),request.onerror=()=>failed(request.error)});var Refused=class extends Error{};var UPLOAD="upload/",PAUSE=350,PAGE=/^[1-9]\d{0,5}$/,SLOW=500,Desk=class{constructor(cargo,language,source){let{about}=cargo;this.
cargo=cargo,this.about=about,this.language=language,this.words=about.languages[language],this.source=source,this.pictures=new Map(
about.pictures.map(one=>[one.name,one])),this.brought=[],this.recalled=source.keeper.all().then(all=>{for(let{id,blob,name:name2}of all)
this.own(UPLOAD+id,blob,name2);this.brought.push(...all.map(({id})=>UPLOAD+id))}),this.shown=null,this.wanted=null,this.viewer=null,
this.timer=0,this.said=(_said,_act=null)=>{},this.offered=_offer=>{},this.complete=(_name,_asks)=>{},this.changed=_choice=>{},addEventListener(
"popstate",()=>this.open(location.hash)),addEventListener("pagehide",()=>this.write())}attend(viewer){this.viewer=viewer,viewer.state.
subscribe(()=>this.later())}async begin(){let{start}=this.about;return parse(location.hash)?.page.picture?.startsWith(UPLOAD)&&await this.
recalled,parse(location.hash)?this.open(location.hash):this.look({...start,page:"",fit:AS_TRAINED})}open(link){let found=parse(link);
if(!found)return null;let{v:v2="",model="",page="",fit=AS_TRAINED,edits,tab}=found.page,picture=this.onBoard(found.page.picture??""),
{start}=this.about,has={picture:this.pictures.has(picture),model:this.about.models.some(({name:name2})=>name2===model)},isFit=[AS_TRAINED,
...FITS].includes(fit),isPage=!page||PAGE.test(page),choice={picture:has.picture?picture:start.picture,page:has.picture&&isPage&&page!==
"1"?page:"",model:has.model?model:start.model,fit:isFit?fit:AS_TRAINED},isAnother=!!(picture&&!has.picture),isAsked=model&&!has.model&&
this.source.networks,isPartly=isAnother||model&&!has.model&&!isAsked,strange=Object.entries({v:v2&&!/^\d{1,8}$/.test(v2),fit:!isFit,
page:!isPage,edits,tab}).flatMap(([key,is])=>is?[key]:[]),says=[Number(v2)>STATE_VERSION?this.words.link.newer:"",isPartly?this.words.
export.notOnBoard:""],act={said:this.words.link.yes,go:()=>this.look({model},{state:found.state})};isAsked&&says.push(this.words.link.
asks.replace("{name}",()=>model));let how={state:found.state,isAnother,says:this.viewer.words.told(says),strange};return this.look(
choice,isAsked?{...how,act}:how)}onBoard(name2){let[,lesson,number2]=/^(lesson\/[a-z]+\/)(\d+)$/.exec(name2)??[];if(!lesson||this.
pictures.has(name2))return name2;let here=[...this.pictures.keys()].filter(one=>one.startsWith(lesson)&&!one.endsWith("/bare")),numbers=here.
map(one=>Number(one.slice(lesson.length))).sort((a2,b2)=>a2-b2);if(!numbers.length)return name2;let now=this.shown?.picture.startsWith(
lesson)?Number.parseInt(this.shown.picture.slice(lesson.length)):NaN,{of}=this.pictures.get(here[0]).asked[this.language],isBack=(now-
Number(number2)+of)%of===1,next=isBack?numbers.findLast(one=>one<=Number(number2)):numbers.find(one=>one>=Number(number2));return`${lesson}${next??
numbers.at(isBack?-1:0)}`}here(){if(!this.shown)return"";let{picture,page,model,fit}=this.shown;return write({v:String(STATE_VERSION),
picture,page,model,fit:fit===AS_TRAINED?"":fit},this.viewer.toHash())}get isLive(){return this.about.models.some(({name:name2})=>this.
source.runs(name2))}modelOf(name2){return this.about.models.find(one=>one.name===name2)}bring(blob,title){let name2=UPLOAD+Array.from(
crypto.getRandomValues(new Uint8Array(5)),byte=>byte.toString(16).padStart(2,"0")).join("");return this.own(name2,blob,title),name2}own(name2,blob,title){
this.pictures.set(name2,{name:name2,type:blob.type,file:"",credit:"",asked:null,truth:[],drawn:!1,notes:{},blob,title})}isOwn(name2){
return!!this.pictures.get(name2)?.blob}async forget(){this.brought=[],await this.source.keeper.clear(),this.changed(this.wanted??this.
shown)}get title(){let name2=this.shown?.picture??"";return this.pictures.get(name2)?.title||name2}turn(page){return this.look({page:page>
1?String(page):""})}async look(part,{state=null,isAnother=!1,says="",strange=[],act=null}={}){let said2=says,restore=()=>{said2=this.
viewer.words.told([says,this.viewer.follow(state,strange)]),isAnother&&this.viewer.state.set(OF_PICTURE)},choice={...this.wanted??
this.shown??{...this.about.start,page:"",fit:AS_TRAINED},..."picture"in part?{page:""}:{},...part};if(this.shown&&same(choice,this.
shown))return this.wanted=null,state!==null&&restore(),this.settle(choice,said2,act),"";this.wanted=choice,this.viewer.choose(JSON.
stringify(choice)),this.changed(choice);let isStale=()=>this.wanted!==choice,begun=performance.now(),stop=this.source.giveUp?{said:this.
words.page.stop,go:()=>this.source.giveUp()}:null,far=(share2,said3=this.words.export.looking.replace("{percent}",`${Math.round(100*
share2)}`))=>isStale()||performance.now()-begun<SLOW||this.said(said3,stop);try{let found=await this.source.look(choice,this.pictures.
get(choice.picture),far);if(isStale()||(state!==null&&(this.viewer.arrives=()=>(restore(),!0)),await this.show(found),isStale()))return null;
found.said&&(said2=this.viewer.words.told([said2,found.said]));let before=this.shown;this.wanted=null,this.shown=choice;let own=this.
pictures.get(choice.picture);return own?.blob&&before?.picture!==own.name&&this.keep(own),this.settle(choice,said2,act),this.offered(
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
(done2,failed)=>{video.addEventListener(event,done2,{once:!0}),video.addEventListener("error",()=>failed(video.error),{once:!0})});
try{let loaded=heard("loadeddata");if(video.src=url,await loaded,Number.isFinite(video.duration)||await seek(1e7),!video.videoWidth||
!(video.duration>0))throw new Error("no pictures in it")}catch(error){throw URL.revokeObjectURL(url),error}let count=Math.min(most,
Math.max(1,Math.round(video.duration*10)));return{count,rate:count/video.duration,frame:async number2=>(await seek((number2+.5)*video.
duration/count),drawn(video,video.videoWidth,video.videoHeight)),close:()=>{video.removeAttribute("src"),URL.revokeObjectURL(url)}};
async function seek(seconds){let there=heard("seeked");video.currentTime=seconds,await there}}async function animated(file,most){let{
ImageDecoder}=globalThis;if(!ImageDecoder)return null;let decoder=new ImageDecoder({data:await file.arrayBuffer(),type:file.type});
await decoder.tracks.ready,await decoder.completed;let whole=decoder.tracks.selectedTrack.frameCount;if(whole<2)return null;let count=Math.
min(most,whole),{image:first}=await decoder.decode({frameIndex:0}),seconds=(first.duration||1e5)/1e6;return first.close(),{count,rate:count/
(seconds*whole),frame:async number2=>{let{image}=await decoder.decode({frameIndex:Math.floor(number2*whole/count)}),canvas=drawn(image,
image.displayWidth,image.displayHeight);return image.close(),canvas},close:()=>decoder.close()}}function drawn(picture,width,height){
let scale=Math.min(1,640/Math.max(width,height));return framed2(picture,Math.round(width*scale),Math.round(height*scale))}function framed2(picture,width,height){
let canvas=Object.assign(document.createElement("canvas"),{width,height});return canvas.getContext("2d",{willReadFrequently:!0}).drawImage(
picture,0,0,width,height),canvas}var jpegOf=canvas=>new Promise(done2=>canvas.toBlob(done2,"image/jpeg",.92));var WANTED={width:{ideal:480},height:{ideal:360}},WHY={NotAllowedError:"cameraRefused",SecurityError:"cameraRefused",NotFoundError:"\
cameraNone",OverconstrainedError:"cameraNone"},COUNTED=12;async function camera(){if(!navigator.mediaDevices?.getUserMedia)return{
why:"cameraNotHere"};try{return{stream:await navigator.mediaDevices.getUserMedia({video:WANTED,audio:!1})}}catch(error){return{why:WHY[error.
name]??"cameraBusy"}}}function release(stream){for(let one of stream.getTracks())one.stop()}function rateOf(shown){if(shown.length>
COUNTED&&shown.shift(),shown.length<3)return"";let rate=1e3*(shown.length-1)/(shown.at(-1).at-shown[0].at);return rate<10?rate.toFixed(
1):rate.toFixed(0)}function percent(share2){let value=Math.abs(100*share2),digits2=value<5e-4||value>=9.95?0:value>=.995?1:value>=.0995?2:3;return`${share2<
0?"−":""}${value.toFixed(digits2)} %`}function barOf(colour,canvas=Object.assign(document.createElement("canvas"),{width:256,height:1})){let context=canvas.getContext("\
2d");for(let i2=0;i2<256;i2++)context.fillStyle=colour.css(i2/255),context.fillRect(i2,0,1,1);return canvas}var ColourMap=class{constructor(base64){this.table=bytesOf(base64),this.packed=Uint32Array.from({length:256},(_2,i2)=>this.table[3*
i2]|this.table[3*i2+1]<<8|this.table[3*i2+2]<<16)}css(share2){let at2=3*stepOf(share2);return`rgb(${this.table[at2]}, ${this.table[at2+
1]}, ${this.table[at2+2]})`}fill(pixels,width,x2,y2,values,first,[rows,cols],high,alpha,reach=null){let top=alpha<<24,from=first;for(let row=0;row<
rows;row++){let to=(y2+row)*width+x2;for(let col=0;col<cols;col++,from++)pixels[to++]=reach&&!reach[from]?0:top|this.packed[stepOf(
shareOf(values[from],high))]}}};function shareOf(value,high){return Math.min(1,Math.max(0,value/high))}function stepOf(share2){return Math.min(255,Math.floor(256*
share2))}var COLOURS=["#e69f00","#56b4e9","#cc79a7","#009e73","#f0e442"];var BRIGHT=[255,255,255,150],DARK=[0,0,0,150],tiles=new Map;function filled(context,spacing,ratio,trace){let side=Math.max(3,Math.
round(spacing*ratio));tiles.has(side)||tiles.set(side,tileOf(side,Math.max(1,Math.round(ratio)))),context.fillStyle=context.createPattern(
tiles.get(side),"repeat"),context.beginPath(),trace(),context.fill()}function tileOf(side,line){let tile=Object.assign(document.createElement(
"canvas"),{width:side,height:side}),image=new ImageData(side,side);for(let i2=0;i2<side*side;i2++){let at2=(Math.floor(i2/side)+i2%
side)%side;at2<2*line&&image.data.set(at2<line?BRIGHT:DARK,4*i2)}return tile.getContext("2d").putImageData(image,0,0),tile}function hatchPatches(context,{
x:x2,y:y2,w,h:h2},{grid:[rows,cols],first},reach,ratio){filled(context,7,ratio,()=>{for(let i2=0;i2<rows*cols;i2++){if(reach[first+
i2])continue;let[row,col]=[Math.floor(i2/cols),i2%cols];context.rect(x2+col*w/cols,y2+row*h2/rows,w/cols,h2/rows)}})}var Measured=class{constructor(element,read){this.read=read,this.value=[0];let forget=()=>this.value=[0];new ResizeObserver(forget).
observe(element),addEventListener("resize",forget)}get now(){return this.value[0]||(this.value=this.read()),this.value}};var Stage=class{constructor(canvas,size=null){this.canvas=canvas,this.size=size,this.onPage=size?null:new Measured(canvas,()=>[canvas.
clientWidth,canvas.clientHeight]),this.cells=document.createElement("canvas"),this.ground=document.createElement("canvas"),this.lines=
{canvas:document.createElement("canvas"),outlines:null,of:""},this.bitmap=null,this.window=[0,0,1,1],this.grid=[1,1],this.box=null}setPicture(payload){
this.bitmap=payload.bitmap,this.window=payload.window,this.ground.width=0}resize(){let[width,height]=this.onPage?.now??[this.size.
width,this.size.height],ratio=this.size?.ratio??(window.devicePixelRatio||1);if(!width||!this.bitmap)return!1;this.ratio=ratio,(this.
canvas.width!==Math.round(width*ratio)||this.canvas.height!==Math.round(height*ratio))&&(this.canvas.width=Math.round(width*ratio),
this.canvas.height=Math.round(height*ratio));let scale=Math.min(this.canvas.width/this.bitmap.width,this.canvas.height/this.bitmap.
height),w=this.bitmap.width*scale,h2=this.bitmap.height*scale;return this.box={x:(this.canvas.width-w)/2,y:(this.canvas.height-h2)/
2,w,h:h2},(this.ground.width!==this.canvas.width||this.ground.height!==this.canvas.height)&&this.drawGround(),!0}inputBox(){let{x:x2,
y:y2,w,h:h2}=this.box,[left,top,right,bottom]=this.window;return{x:x2+left*w,y:y2+top*h2,w:(right-left)*w,h:(bottom-top)*h2}}draw(view){
if(this.grid=view.queries.grid,!this.resize())return;let context=this.canvas.getContext("2d"),input=this.inputBox();if(context.clearRect(
0,0,this.canvas.width,this.canvas.height),context.drawImage(this.ground,0,0),context.save(),this.clipToSeen(context,input),view.values&&
this.drawHeat(context,input,view),view.labels&&this.drawLabels(context,input,view.labels,view.opacity),view.reach){view.showGrid&&
this.drawGrid(context,input),this.drawReach(context,input,view.layout,view.reach);for(let outline of view.outlines)this.drawOutline(
context,input,outline,view.inputSize)}else(view.showGrid||view.outlines.length)&&context.drawImage(this.linesOf(view,input),0,0);context.
restore();for(let mark2 of view.marks)this.drawMark(context,input,mark2)}drawGround(){let{x:x2,y:y2,w,h:h2}=this.box;this.ground.width=
this.canvas.width,this.ground.height=this.canvas.height;let context=this.ground.getContext("2d");context.filter="grayscale(1) cont\
rast(0.6) brightness(0.6)",context.drawImage(this.bitmap,x2,y2,w,h2),context.filter="none",this.clipToSeen(context,this.inputBox()),
context.drawImage(this.bitmap,x2,y2,w,h2)}clipToSeen(context,input){for(let{x:x2,y:y2,w,h:h2}of[this.box,input])context.beginPath(),
context.rect(x2,y2,w,h2),context.clip()}linesOf({showGrid,outlines,inputSize},input){let{lines}=this,{width,height}=this.canvas,of=[
width,height,...Object.values(this.box),...Object.values(input),this.grid,showGrid].join();if(lines.of===of&&(lines.outlines===outlines||
!(lines.outlines.length+outlines.length)))return lines.canvas;Object.assign(lines,{outlines,of}),Object.assign(lines.canvas,{width,
height});let context=lines.canvas.getContext("2d");this.clipToSeen(context,input),showGrid&&this.drawGrid(context,input);for(let outline of outlines)
this.drawOutline(context,input,outline,inputSize);return lines.canvas}drawHeat(context,input,view){let{grid,first}=view.layout,[rows,
cols]=grid,image=new ImageData(cols,rows);view.map.fill(new Uint32Array(image.data.buffer),cols,0,0,view.values,first,grid,view.high,
255);for(let i2=0;i2<rows*cols;i2++){if(view.reach&&!view.reach[first+i2]){image.data[4*i2+3]=0;continue}let fade=view.byValue?Math.
sqrt(shareOf(view.values[first+i2],view.high)):1;image.data[4*i2+3]=255*view.opacity*fade}(this.cells.width!==cols||this.cells.height!==
rows)&&Object.assign(this.cells,{width:cols,height:rows}),this.cells.getContext("2d").putImageData(image,0,0),context.imageSmoothingEnabled=
view.smooth,context.imageSmoothingQuality="high",context.drawImage(this.cells,input.x,input.y,input.w,input.h),!(!view.reach||!view.
opacity)&&(context.globalAlpha=view.opacity,hatchPatches(context,input,view.layout,view.reach,this.ratio),context.globalAlpha=1)}drawLabels(context,input,{
grid:[rows,cols],things,labels},opacity){let image=new ImageData(cols,rows);labels.forEach(([thing,share2],i2)=>{let colour=Number.
parseInt(COLOURS[thing].slice(1),16),sure=Math.sqrt(Math.max(0,(share2-1/things)/(1-1/things)));image.data.set([colour>>16,colour>>
8&255,colour&255,255*opacity*sure],4*i2)}),(this.cells.width!==cols||this.cells.height!==rows)&&Object.assign(this.cells,{width:cols,
height:rows}),this.cells.getContext("2d").putImageData(image,0,0),context.imageSmoothingEnabled=!1,context.drawImage(this.cells,input.
x,input.y,input.w,input.h)}drawGrid(context,input){let[rows,cols]=this.grid;context.beginPath();for(let row=1;row<rows;row++)context.
moveTo(input.x,input.y+row*input.h/rows),context.lineTo(input.x+input.w,input.y+row*input.h/rows);for(let col=1;col<cols;col++)context.
moveTo(input.x+col*input.w/cols,input.y),context.lineTo(input.x+col*input.w/cols,input.y+input.h);context.strokeStyle=`rgba(255, 2\
55, 255, ${rows*cols>1200?.08:.16})`,context.lineWidth=this.size?this.ratio:1,context.stroke()}drawMark(context,input,{cell:[row,col],
grid:[rows,cols],kind,colour:own="white",reach=0}){let w=input.w/cols,h2=input.h/rows,[left,top]=[Math.max(0,col-reach),Math.max(0,
row-reach)],[right,bottom]=[Math.min(cols,col+reach+1),Math.min(rows,row+reach+1)],{ratio}=this,line=(kind==="pinned"?3:2)*ratio,[
x2,y2]=[input.x+col*w,input.y+row*h2],shape=new Path2D;if(kind==="sink")for(let[right2,down]of[[.5,.1],[.9,.5],[.5,.9],[.1,.5]])shape.
lineTo(x2+right2*w,y2+down*h2);else shape.rect(input.x+left*w,input.y+top*h2,(right-left)*w,(bottom-top)*h2);shape.closePath(),context.
setLineDash(kind==="read"?[4*ratio,3*ratio]:[]);for(let[colour,width]of[["black",line+2*ratio],[own,line]])context.strokeStyle=colour,
context.lineWidth=width,context.stroke(shape);context.setLineDash([])}drawReach(context,input,{grid:[rows,cols],first},reach){let isIn2=(row,col)=>row>=
0&&col>=0&&row<rows&&col<cols&&reach[first+row*cols+col],x2=col=>input.x+col*input.w/cols,y2=row=>input.y+row*input.h/rows;context.
beginPath();for(let row=0;row<rows;row++)for(let col=0;col<cols;col++)if(isIn2(row,col))for(let[down,right,...ends]of[[-1,0,0,0,0,
1],[1,0,1,0,1,1],[0,-1,0,0,1,0],[0,1,0,1,1,1]])isIn2(row+down,col+right)||(context.moveTo(x2(col+ends[1]),y2(row+ends[0])),context.
lineTo(x2(col+ends[3]),y2(row+ends[2])));let{ratio}=this;context.lineCap="square";for(let[colour,line]of[["rgba(0, 0, 0, 0.6)",3*ratio],
["white",ratio]])context.strokeStyle=colour,context.lineWidth=line,context.stroke()}drawOutline(context,input,{path,top,name:name2,
object},[height,width]){if(!top)return;let{ratio}=this,placed=new Path2D,matrix=new DOMMatrix([input.w/width,0,0,input.h/height,input.
x,input.y]);placed.addPath(path,matrix),context.lineCap="round";for(let[colour,line]of[["rgba(0, 0, 0, 0.75)",4*ratio],[object?"#5\
eead4":"#fb923c",2*ratio]])context.strokeStyle=colour,context.lineWidth=line,context.stroke(placed);name2&&this.drawName(context,name2,
matrix.transformPoint(new DOMPoint(...top)),ratio)}drawName(context,name2,{x:x2,y:y2},pixels){let ratio=pixels*Math.max(1,this.canvas.
width/pixels/560);context.font=`${12*ratio}px sans-serif`,context.textBaseline="middle",context.textAlign="left";let wide=context.
measureText(name2).width+8*ratio,tall=17*ratio,{x:left0,y:top0,w,h:h2}=this.box,left=Math.min(left0+w-wide,Math.max(left0,x2-wide/
2)),top=Math.min(top0+h2-tall,Math.max(top0,y2-tall-4*ratio));context.fillStyle="rgba(0, 0, 0, 0.7)",context.fillRect(left,top,wide,
tall),context.fillStyle="white",context.fillText(name2,left+4*ratio,top+tall/2)}pointAt(event){if(!this.box)return null;let area=this.
canvas.getBoundingClientRect(),px=(event.clientX-area.left)*this.canvas.width/area.width,py=(event.clientY-area.top)*this.canvas.height/
area.height,inside=share2=>Math.min(1,Math.max(0,share2));return[inside((px-this.box.x)/this.box.w),inside((py-this.box.y)/this.box.
h)]}placeAt(event){if(!this.box)return null;let area=this.canvas.getBoundingClientRect(),px=(event.clientX-area.left)*this.canvas.
width/area.width,py=(event.clientY-area.top)*this.canvas.height/area.height,{x:x2,y:y2,w,h:h2}=this.box;return px<x2||py<y2||px>=x2+
w||py>=y2+h2?null:[(px-x2)/w,(py-y2)/h2]}};var DARK2="rgba(2, 6, 23, 0.6)",MovingStage=class extends Stage{drawGround(){let{x:x2,y:y2,w,h:h2}=this.box;Object.assign(this.ground,
{width:this.canvas.width,height:this.canvas.height});let context=this.ground.getContext("2d");context.drawImage(this.bitmap,x2,y2,
w,h2);let input=this.inputBox(),rest=new Path2D;rest.rect(x2,y2,w,h2),rest.rect(input.x,input.y,input.w,input.h),context.save(),context.
beginPath(),context.rect(x2,y2,w,h2),context.clip(),context.fillStyle=DARK2,context.fill(rest,"evenodd"),context.restore()}},Moving=class{constructor(root,desk){
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
(_2,head)=>[String(head+1),head])];this.find(".head select").replaceChildren(...names.map(([name2,head])=>new Option(String(name2),
String(head)))),this.find(".head select").value=String(this.head)}choose(part){Object.assign(this,part),this.now&&(this.find(".lay\
er output").textContent=`${this.layer+1} / ${this.now.found.layers}`),this.draw()}draw(){if(!this.now||!this.isOpen)return;let{picture,
found}=this.now,high=this.highOf(this.layer,this.head);this.stage.setPicture({bitmap:picture,window:found.window}),this.stage.draw(
{values:valuesOf(found,this.layer,this.head),layout:{grid:found.tokens.grid,first:found.tokens.prefix.length},queries:{grid:found.
tokens.grid},high:high||1,map:this.colour,opacity:OPACITY,byValue:!0,smooth:!1,showGrid:!1,reach:null,marks:[],outlines:[],inputSize:[
1,1]}),this.find(".high").textContent=this.highest.replace("{share}",percent(high))}say(text){this.find(".rate").textContent=text}};
function valuesOf({rows,heads,tokens:{prefix,grid}},layer,head){let n2=prefix.length+grid[0]*grid[1],of=one=>rows.subarray((layer*
heads+one)*n2,(layer*heads+one+1)*n2);if(head>=0)return of(head);let mean=new Float32Array(n2);for(let one=0;one<heads;one++)of(one).
forEach((value,token)=>mean[token]+=value/heads);return mean}function largestOf(found){let{layers,heads,tokens}=found,made2=new Float32Array(
layers*(heads+1));for(let layer=0;layer<layers;layer++)for(let head=-1;head<heads;head++){let values=valuesOf(found,layer,head).subarray(
tokens.prefix.length);made2[placeOf(found,layer,head)]=values.reduce((most,value)=>Math.max(most,value),0)}return made2}var placeOf=({
heads},layer,head)=>layer*(heads+1)+(head<0?heads:head),pngOf=picture=>new Promise(done2=>framed2(picture,picture.width,picture.height).
toBlob(done2,"image/png"));var AHEAD=25;function webcam(desk,root,moving2){let{words:{export:words}}=desk,{isLive}=desk,button=Object.assign(document.createElement(
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
found?.layers===seen.layers?highs.map((high,i2)=>Math.max(high,most[i2])):most,found=seen,picture=frame,moving2.show(frame,seen),shown.
push({at:performance.now(),took:seen.took});let rate=rateOf(shown);rate&&moving2.say(words.perSecond.replace("{rate}",rate))}}function ask(video){
let frame=framed2(video,video.videoWidth,video.videoHeight),answer=desk.glance(modelOf(desk),frame);return answer.catch(()=>{}),{frame,
answer}}}function modelOf(desk){let{model}=desk.wanted??desk.shown??desk.about.start;return desk.source.runs(model)?model:desk.about.
models.find(({name:name2})=>desk.source.runs(name2)).name}var cautionOf=desk=>desk.modelOf(modelOf(desk))?.subject==="scenes"?desk.
words.page.caution_scenes:"";function after(milliseconds){return new Promise(go=>milliseconds<1/0&&setTimeout(go,Math.max(0,milliseconds)))}var MOST3=240;function film(desk,moving2){let words=desk.words.export;return async file=>{if(!desk.source.glance)return!1;let source;
try{source=await framesOf(file,MOST3)}catch{return desk.said(words.filmUnreadable),!0}return source&&await show(file.name,source),
!!source};async function show(name2,source){let{count,rate}=source,kept2=[],highs=new Float32Array(0),[isOn,at2,timer,drawing]=[!0,
0,0,!1],isLed=!1,model=modelOf(desk);moving2.open({title:name2,end:words.filmClose,kept:[words.filmKept,cautionOf(desk)].join(" "),
highest:words.filmHighest,holdsModel:!0,highOf:(layer,head)=>highs[placeOf(kept2[0].found,layer,head)]??0,freeze:async()=>{let{layer,
head}=moving2,picture=kept2[at2].found.sent??await pngOf(await source.frame(at2));moving2.close(),await desk.look({picture:desk.bring(
picture,name2),model}),desk.viewer.state.set(head<0?{layer}:{layer,head,fusion:"one"})},ended:()=>{isOn=!1,clearInterval(timer),source.
close()}}),desk.said("");let{slider,output,play,save:save2}=controls();slider.max=String(count-1),slider.addEventListener("input",
()=>{stop(),isLed=!0,go(Number(slider.value))}),play.addEventListener("click",()=>timer?stop():start()),save2.addEventListener("cl\
ick",()=>record());for(let i2=0;i2<count&&isOn;i2++)try{let canvas=await source.frame(i2),found=await desk.glance(model,canvas);kept2.
push({blob:await jpegOf(canvas),found});let most=largestOf(found);if(highs=highs.length?highs.map((high,place2)=>Math.max(high,most[place2])):
most,!isOn)return;moving2.say(words.filmLooking.replace("{done}",String(i2+1)).replace("{count}",String(count))),isLed?moving2.draw():
paint2(i2,canvas)}catch(error){isOn&&moving2.close(),isOn&&desk.said(`${words.failed} ${error.message}`);return}if(!isOn)return;moving2.
say(words.filmDone.replace("{count}",String(count)).replace("{rate}",String(Math.round(10*rate)/10))),play.disabled=!1,save2.disabled=
!globalThis.MediaRecorder;function paint2(number2,picture){at2=number2,slider.value=String(number2),output.textContent=`${(number2/
rate).toFixed(1)} s`,moving2.show(picture,kept2[number2].found)}async function go(number2){if(at2=Math.min(number2,kept2.length-1),
!drawing){drawing=!0;for(let now=-1;now!==at2&&isOn;){now=at2;let picture=await createImageBitmap(kept2[now].blob);isOn&&now===at2&&
paint2(now,picture)}drawing=!1}}function start(){isLed=!0,play.textContent=words.filmPause,timer=window.setInterval(()=>go((at2+1)%
count),1e3/rate)}function stop(){clearInterval(timer),timer=0,play.textContent=words.filmPlay}async function record(){stop(),save2.
disabled=!0,await go(0);let recorder=new MediaRecorder(moving2.stage.canvas.captureStream(),{mimeType:"video/webm"}),parts=[];recorder.
ondataavailable=({data})=>parts.push(data);let done2=new Promise(end=>recorder.onstop=end);recorder.start();for(let i2=0;i2<count&&
isOn;i2++)await go(i2),await new Promise(next=>setTimeout(next,1e3/rate));if(recorder.stop(),await done2,save2.disabled=!1,!isOn)return;
let url=URL.createObjectURL(new Blob(parts,{type:"video/webm"}));Object.assign(document.createElement("a"),{href:url,download:`${name2.
replace(/\.\w+$/,"")}-${model}.webm`}).click(),setTimeout(()=>URL.revokeObjectURL(url),1e4)}}function controls(){let box=moving2.find(
".times");box.innerHTML=`<label class="time"><span></span> <input type="range" min="0" step="1" value="0"> <output></output></labe\
l>
      <button type="button" class="play" disabled></button><button type="button" class="save" disabled></button>`;let[slider,output,
play,save2]=["input","output",".play",".save"].map(css=>box.querySelector(css));return box.querySelector("span").textContent=words.
filmTime,play.textContent=words.filmPlay,Object.assign(save2,{textContent:words.filmSave,title:words.filmSaveHelp}),{slider,output,
play,save:save2}}}var PICTURE=/\.(jpe?g|jfif|png|gif|webp|bmp|tiff?|p[pgbn]m|avif|jp2|heic|heif|ico|tga)$/i,WEIGHTS=/\.safetensors$/i;var isPicture=({type,name:name2})=>type.startsWith("image/")&&!type.includes("svg")||PICTURE.test(name2),isOther=file=>!isPicture(
file)&&!!(file.type||/\.\w+$/.test(file.name)),isWeights=({name:name2})=>WEIGHTS.test(name2);async function dropped(transfer){let entries=[
...transfer.items].filter(({kind})=>kind==="file").map(item=>item.webkitGetAsEntry?.()),isFolder=entries.some(entry2=>entry2?.isDirectory);
if(!isFolder)return{found:listed(transfer.files),isFolder};let found=[];for(let entry2 of entries)await walk(entry2,found,0);return{
found:inOrder2(found),isFolder}}var listed=files2=>inOrder2([...files2].map(file=>({file,path:file.webkitRelativePath||file.name})).
filter(({path})=>!path.includes("/."))),inOrder2=found=>found.sort((a2,b2)=>a2.path.localeCompare(b2.path,void 0,{numeric:!0}));async function walk(entry2,found,depth){
if(!(!entry2||found.length>=5e3||entry2.name.startsWith("."))){if(entry2.isFile){let file=await new Promise(done2=>entry2.file(done2,
()=>done2(null)));file&&found.push({file,path:entry2.fullPath.replace(/^\//,"")})}else if(depth<8){let reader=entry2.createReader();
for(;;){let some=await new Promise(done2=>reader.readEntries(done2,()=>done2([])));if(!some.length)return;for(let one of some)await walk(
one,found,depth+1)}}}}var byFinger=globalThis.matchMedia?.("(pointer: coarse)"),Words=class{constructor(table2,own={}){this.table={...own,...table2}}has(key){
return Object.hasOwn(this.table,key)}say(key,values={}){return joined2(this.sentence(key).replace(/\{(\w+)\}/g,(_2,name2)=>String(
values[name2])))}sentence(key){return byFinger?.matches&&this.has(`${key}_touch`)?this.table[`${key}_touch`]:this.has(key)?this.table[key]:
(console.error(`There is no word for '${key}'.`),key.replaceAll("_"," "))}list(things){return things.join(this.say("list_comma"))}told(sentences){
return sentences.filter(Boolean).join(this.say("sentence_gap"))}fill(html){let made2=document.createElement("template");made2.innerHTML=
html.replace(/\$([a-z]\w*)/g,(_2,key)=>escaped(this.say(key)));for(let term of made2.content.querySelectorAll("[data-term]"))term.
setAttribute("role","button"),term.setAttribute("tabindex","0");return made2.content}},joined2=text=>text.replace(/(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]) (?=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])/g,
""),ENTITIES={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"};function escaped(text){return text.replace(/[&<>"]/g,sign=>ENTITIES[sign])}var Hint=class{constructor(title,about){this.root=document.createElement("div"),this.root.className="drop-hint",this.root.appendChild(
document.createElement("p")).append(Object.assign(document.createElement("b"),{textContent:title}),about),this.timer=0}show(){this.
root.isConnected||document.body.append(this.root),clearTimeout(this.timer),this.timer=setTimeout(()=>this.hide(),1200)}hide(){clearTimeout(
this.timer),this.root.remove()}};async function paint(canvas,file){canvas.width=canvas.height=112;let pen=canvas.getContext("2d");try{let bitmap=await createImageBitmap(
file,{resizeHeight:224,resizeQuality:"medium"}),side=Math.min(bitmap.width,bitmap.height);pen.drawImage(bitmap,(bitmap.width-side)/
2,(bitmap.height-side)/2,side,side,0,0,112,112),bitmap.close()}catch{pen.font="600 26px system-ui, sans-serif",pen.textAlign="cent\
er",pen.fillStyle="#667";let kind=/\.(\w{1,5})$/.exec(file.name)?.[1]??"?";pen.fillText(kind.toUpperCase(),112/2,112/2+9,104)}}var MOST4=100,MOST_BYTES=2**30,PAUSE2=250,Strip=class{constructor(row,on,say){this.items=[],this.current=null,this.row=row,this.on=
on,this.say=say,this.timer=0,this.seen=new IntersectionObserver(all=>this.arrive(all),{root:row,rootMargin:"200px"}),this.queue=Promise.
resolve(),row.addEventListener("click",({target:target2})=>{let item=this.items.find(({button})=>button.contains(target2));item&&this.
choose(item,0)}),row.addEventListener("keydown",event=>{this.key(event.key)&&event.preventDefault()})}get bytes(){return this.items.
reduce((sum,{file})=>sum+file.size,0)}add(found){let[bytes,left]=[this.bytes,0],first=null;for(let{file,path,film:film2}of found){
let known3=this.items.find(one=>one.path===path&&one.file.size===file.size&&one.file.lastModified===file.lastModified);if(!known3&&
(this.items.length>=MOST4||bytes+file.size>MOST_BYTES)){left+=1;continue}let item=known3??this.made(file,path,film2);known3||(bytes+=
file.size),first??=item}return this.number(),{first,left}}made(file,path,film2){let button=document.createElement("button");Object.
assign(button,{type:"button",className:"strip-one",tabIndex:-1,title:path}),button.setAttribute("role","option"),button.append(document.
createElement("canvas"));let item={file,path,film:film2,on:"",bad:"",button};return this.items.push(item),this.row.append(button),
this.seen.observe(button),item}number(){let of=this.items.length;this.items.forEach(({button,path,bad},at2)=>{let said2=this.say("\
one",{name:path,at:at2+1,of});button.setAttribute("aria-label",bad?`${said2}: ${bad}`:said2)})}choose(item,pause){this.mark(item,!0),
item.button.focus({preventScroll:!0}),clearTimeout(this.timer),this.timer=setTimeout(()=>this.on.look(item),pause)}mark(item,isWaiting=!1){
this.current=item;for(let{button}of this.items){let isIt=button===item?.button;button.setAttribute("aria-selected",String(isIt)),button.
classList.toggle("is-waiting",isIt&&isWaiting),button.tabIndex=isIt?0:-1}!item&&this.items.length&&(this.items[0].button.tabIndex=
0),item&&this.bring(item.button),this.on.tell()}bring(button){let{left,right}=button.getBoundingClientRect(),row=this.row.getBoundingClientRect(),
by=left<row.left?left-row.left-60:right>row.right?right-row.right+60:0,isCalm=matchMedia("(prefers-reduced-motion: reduce)").matches;
by&&this.row.scrollBy({left:by,behavior:isCalm?"instant":"smooth"})}blame(item,why){item.bad=why,item.button.classList.toggle("is-\
bad",!!why),item.button.title=why?`${item.path}: ${why}`:item.path,this.number(),this.on.tell()}key(key){let last=this.items.length-
1,at2=this.items.indexOf(this.current),to={ArrowLeft:at2-1,ArrowRight:at2+1,Home:0,End:last}[key];if(to===void 0||last<0)return!1;
let item=this.items[Math.min(last,Math.max(0,to))];return item!==this.current&&this.choose(item,PAUSE2),!0}arrive(all){for(let{target:target2,
isIntersecting}of all){if(!isIntersecting)continue;this.seen.unobserve(target2);let item=this.items.find(({button})=>button===target2);
item&&(this.queue=this.queue.then(()=>this.items.includes(item)&&paint(item.button.querySelector("canvas"),item.file)))}}clear(){clearTimeout(
this.timer),this.seen.disconnect(),this.items=[],this.current=null,this.row.replaceChildren()}};var MB=2**20;function isWritten(target2){return target2 instanceof HTMLElement?target2 instanceof HTMLInputElement&&/^(text|search|url|email|password|number|tel)$/.
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
{first,left}=this.strip.add(pictures),full2=left?this.say("too_many",{n:left,most:MOST4,bytes:MOST_BYTES/MB}):"";this.tell(desk.viewer.
words.told([full2,others?this.say("others",{n:others}):""])),first&&this.strip.choose(first,0)}async open(file){let{desk}=this;return this.
tell(""),isWeights(file)?desk.source.weights?desk.weights(file):this.tell(this.say("no_weights",{name:file.name})):isOther(file)?this.
tell(this.say("no_picture",{name:file.name})):this.bring(file,file.name)}bring(blob,title){return this.show(this.desk.bring(blob,title))}show(picture){
let{desk}=this,now=desk.wanted??desk.shown,isAble=now&&desk.source.can(now.model,picture),model=isAble?now.model:desk.about.models.
find(({name:name2})=>desk.source.runs(name2)).name,{looksInstead}=desk.words.export,says=now&&!isAble?looksInstead.replace("{model\
}",now.model).replace("{other}",model):"";return desk.look({picture,model},{says})}async look(item){this.strip.blame(item,""),this.
names.has(item)||this.names.set(item,this.desk.bring(item.file,item.path)),await this.show(this.names.get(item))&&this.strip.blame(
item,this.say("not_shown"))}follow({picture}){if(!this.strip.items.length)return;let item=this.strip.items.find(one=>this.names.get(
one)===picture)??null;this.strip.mark(item,!!this.desk.wanted)}tell(text){text!==void 0&&(this.said.textContent=text);let{items,current}=this.
strip,at2=items.indexOf(current),count=items.length?this.say("of",{of:items.length}):"",one=at2<0?"":this.say("at",{at:at2+1,of:items.
length,name:current.path});this.count.textContent=one?`${one} ${current.bad}`.trim():count;let isOpen=!!(items.length||this.said.textContent);
this.root.classList.toggle("is-open",isOpen),this.root.classList.toggle("has-pictures",items.length>0)}close(){this.strip.clear(),
this.names.clear(),this.tell("")}};var KEPT="vizapp-language";function chosen(known3){let asked3=new URLSearchParams(location.search).get("lang"),names=Object.keys(known3);
if(names.length===1)return names[0];if(names.includes(asked3))return keep(asked3),asked3;let last=kept();if(names.includes(last))return last;
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
figureOf(one)),grid=this.root.querySelector(".methods-grid");(figures.some((one,at2)=>grid.children[at2]!==one)||grid.children.length!==
figures.length)&&grid.replaceChildren(...figures),this.root.querySelector("#methods-curves").replaceChildren(...this.charts()),this.
chosen&&this.choose(this.chosen)}build(){let{words,strips}=this.told,[one,two]=strips.map(src=>make("img",{alt:"",src})),ends=["ag\
ainst","for"].map(end=>make("i",{},words[end])),scale=make("span",{class:"methods-scale"},ends[0],make("span"),one,two,make("span"),
ends[1]),about={class:"methods-picture",tabindex:"0",role:"application","aria-label":words.large},said2={class:"methods-told",tabindex:"\
0",role:"region","aria-label":words.said};this.root.append(make("div",{class:"methods-large"},make("div",about,make("img",{alt:""}),
...mark(),scale)),make("div",{class:"methods-grid",role:"group",tabindex:"0","aria-label":words.all}),make("div",said2,make("secti\
on"),make("output",{class:"methods-here"})),make("div",{id:"methods-curves"}))}lay(){let{methods,aspect}=this.told,columns=methods.
some(({maps})=>maps.length>1)||methods.length>10?6:Math.max(4,Math.ceil(methods.length/2)),rows=Math.min(MOST_ROWS,Math.ceil(methods.
length/columns));for(let[name2,value]of Object.entries({aspect,columns,rows}))this.root.style.setProperty(`--${name2}`,String(value))}figureOf(one){
let known3=this.figures.get(one.name),of=JSON.stringify([one.title,one.tag,one.waits,one.maps.map(({src,label})=>[src,label])]);if(known3?.
of===of)return known3.figure;let{name:name2,title,tag,maps}=one,isWide=maps.length>1,buttons=maps.map(({src,alt,label},number2)=>{
let key=`${name2} ${number2}`,picture=make("span",{class:"methods-picture","data-map":key},make("img",{alt,src}),...mark());return make(
"button",{type:"button","data-map":key,"aria-pressed":"false"},picture,...isWide?[make("small",{},label)]:[])}),figure=make("figur\
e",{class:isWide?"methods-wide":"","data-method":name2},make("div",{},...maps.length?buttons:[this.waiting(one)]),make("figcaption",
{title},make("b",{},title),...isWide?[]:[this.tagOf(one,tag)])),hadFocus=known3?.figure.contains(document.activeElement);return known3?.
figure.replaceWith(figure),hadFocus&&figure.querySelector("button")?.focus(),this.figures.set(name2,{of,figure}),figure}tagOf({isOfClass},tag){
return make("span",{class:"methods-tag","data-of-class":String(isOfClass)},tag)}waiting({name:name2,title,waits}){let{said:said2="",
runs=!1}=waits??{},box=make("span",{class:"methods-picture methods-waits"},make("span",{},runs?`▶ ${said2}`:said2)),button=make(
"button",{type:"button","data-run":name2,"aria-label":`${title}: ${said2}`,...runs?{}:{disabled:""}},box);return button.addEventListener(
"click",()=>this.run(name2)),button}charts(){let{charts,note}=this.told;return charts.length?charts.map((some,number2)=>make("div",
{class:"methods-charts","data-class":String(number2),...number2?{hidden:""}:{}},...some.map(one=>this.chart(one)),...note&&some[0].
band.length?[make("p",{},make("i"),` ${note}`)]:[])):[make("p",{},note)]}chart({which,title,up,along,name:name2,bounds,lines,band}){
let[low,high]=bounds,at2=(share2,value)=>`${(100*share2).toFixed(2)},${(100*(high-value)/(high-low)).toFixed(3)}`,drawing=make("sv\
g",{viewBox:"0 0 100 100",preserveAspectRatio:"none"});if(band.length){let there=band.map(([share2,lowest])=>at2(share2,lowest)),back=band.
map(([share2,,highest])=>at2(share2,highest)).reverse();drawing.append(make("polygon",{points:[...there,...back].join(" ")}))}for(let{
method,isRandom,points}of lines){let drawn2=points.map(([share2,value])=>at2(share2,value)).join(" ");drawing.append(make("polylin\
e",{"data-line":method,class:isRandom?"is-random":"",points:drawn2}))}let term=make("span",{role:"button",tabindex:"0","data-term":"\
deletion"},title),ends=[high,low].map(end=>make("span",{},String(Number(end.toPrecision(3)))));return make("figure",{"data-which":which},
make("figcaption",{},term,`: ${up}`),make("div",{class:"methods-plot"},...ends,make("div",{role:"img","aria-label":name2},drawing),
make("b",{class:"methods-line"})),make("div",{class:"methods-along"},...["0 %",along,"100 %"].map(said2=>make("span",{},said2))))}cellOf(scores){
let[left,top,right,bottom]=this.told.window,col=Math.floor((this.point[0]-left)/(right-left)*scores[0].length),row=Math.floor((this.
point[1]-top)/(bottom-top)*scores.length);return scores[row]?.[col]===void 0?null:[row,col]}mark(to){this.point=to;let[left,top,right,
bottom]=this.told.window,percent2=(from,size)=>[`${100*from}%`,`${100*size}%`];for(let picture of this.all(".methods-picture[data-\
map]")){let{scores}=this.maps.get(picture.dataset.map),cell=to&&this.cellOf(scores),box=picture.querySelector(".methods-mark"),value=cell?
written2(scores[cell[0]][cell[1]],this.told.words):"";if(box.hidden=!cell,picture.querySelector(".methods-value").textContent=value,
!cell)continue;let[high,wide]=[(bottom-top)/scores.length,(right-left)/scores[0].length];[box.style.left,box.style.width]=percent2(
left+cell[1]*wide,wide),[box.style.top,box.style.height]=percent2(top+cell[0]*high,high),box.dataset.cell=cell.join(",")}this.sayHere()}sayHere(){
let scores=this.point&&this.maps.get(this.toldOf)?.scores,cell=scores&&this.cellOf(scores),here=cell&&{row:cell[0]+1,col:cell[1]+1,
value:written2(scores[cell[0]][cell[1]],this.told.words)},said2=here?this.told.words.here.replace(/\{(\w+)\}/g,(_2,name2)=>String(
here[name2])):"";this.root.querySelector(".methods-here").textContent=said2}tell(key){if(key===this.toldOf)return;this.toldOf=key;
let map=this.maps.get(key),method=this.told.methods.find(({name:name2})=>name2===map.method),{title,tag,sentence,numbers,notes,paper}=map.
told,measured=numbers.map(({title:title2,value,beaten})=>make("li",{},`${title2} `,make("b",{},value),...beaten?[" ",make("small",
{},beaten)]:[])),section=make("section",{"data-told":key},...key===this.chosen?[]:[make("img",{class:"methods-of",alt:"",src:map.src})],
make("h3",{},`${title} `,...tag?[this.tagOf(method,tag)]:[]),make("p",{},sentence),...measured.length?[make("ul",{class:"methods-a\
reas"},...measured)]:[],...notes.map(one=>make("p",{class:"methods-note"},one)),...paper?[make("small",{},paper)]:[]);this.root.querySelector(
".methods-told section").replaceWith(section),this.sayHere();for(let one of this.all("[data-class].methods-charts"))one.hidden=Number(
one.dataset.class)!==map.charts;for(let one of this.all("polyline[data-line]"))one.classList.toggle("is-shown",one.dataset.line===
map.method),one.dataset.line===map.method&&one.parentElement.append(one);for(let one of this.all(".methods-line"))one.textContent=
method.title}choose(key){this.chosen=key,this.toldOf="";let{src,alt,bounds}=this.maps.get(key);for(let one of this.all("button[dat\
a-map]"))one.setAttribute("aria-pressed",String(one.dataset.map===key));let large=this.root.querySelector(".methods-large .methods\
-picture");Object.assign(large.querySelector("img"),{src,alt}),large.dataset.map=key;let scale=large.querySelector(".methods-scale");
scale.dataset.signed=String(Number.parseFloat(bounds[0])<0),scale.querySelectorAll("span").forEach((one,at2)=>one.textContent=bounds[at2]),
this.tell(key),this.mark(this.point)}nearest(event,chart){let area=chart.getBoundingClientRect(),[x2,y2]=[100*(event.clientX-area.
left)/area.width,100*(event.clientY-area.top)/area.height],farOf=line=>{let points=line.getAttribute("points").split(" ").map(one=>one.
split(",").map(Number)),at2=Math.max(1,points.findIndex(one=>one[0]>=x2)),[[x0,y0],[x1,y1]]=points.slice(at2-1,at2+1);return Math.
abs(y0+(y1-y0)*(x2-x0)/(x1-x0)-y2)},lines=[...chart.querySelectorAll("polyline")].map(line=>({far:farOf(line),method:line.dataset.
line})),{method}=lines.reduce((best,one)=>one.far<best.far?one:best),of=Number(chart.closest(".methods-charts").dataset.class),some=[
...this.maps].filter(([,one])=>one.method===method);return(some.find(([,one])=>one.charts===of)??some[0])[0]}listen(){let{root}=this,
near=(event,css)=>event.target instanceof Element?event.target.closest(css):null;root.addEventListener("pointermove",event=>{if(!this.
chosen)return;let area=near(event,".methods-picture[data-map]")?.getBoundingClientRect();area?this.mark([(event.clientX-area.left)/
area.width,(event.clientY-area.top)/area.height]):this.point&&this.mark(null);let chart=near(event,".methods-plot svg");chart&&this.
tell(this.nearest(event,chart))}),root.addEventListener("pointerleave",()=>this.chosen&&(this.mark(null),this.tell(this.chosen)));
for(let kind of["mouseover","focusin"])root.addEventListener(kind,event=>{this.chosen&&!near(event,".methods-plot svg")&&this.tell(
near(event,"button[data-map]")?.dataset.map??this.chosen)});root.addEventListener("click",event=>{let button=near(event,"button[da\
ta-map]"),chart=near(event,".methods-plot svg");button?this.choose(button.dataset.map):chart&&this.chosen&&this.choose(this.nearest(
event,chart))}),root.addEventListener("keydown",event=>{let step=ARROWS[event.key];if(!step||!this.chosen||!near(event,".methods-l\
arge .methods-picture"))return;event.preventDefault();let[left,top,right,bottom]=this.told.window,{scores}=this.maps.get(this.chosen),
before=this.point,[x2,y2]=before??[(left+right)/2,(top+bottom)/2],wide=(right-left)/scores[0].length,high=(bottom-top)/scores.length;
this.point=before?[x2+step[0]*wide,y2+step[1]*high]:[x2+wide/2,y2+high/2],this.mark(this.cellOf(scores)?this.point:before)})}};function sortable(root){root.addEventListener("click",({target:target2})=>{let head=target2 instanceof Element?target2.closest("th"):
null;if(!head)return;let isDown=head.ariaSort!=="descending";for(let one of root.querySelectorAll("th"))one.ariaSort=null;head.ariaSort=
isDown?"descending":"ascending";let body=root.querySelector("tbody"),text=row=>row.cells[head.cellIndex].textContent,order=(a2,b2)=>Number(
text(a2))-Number(text(b2))||text(a2).localeCompare(text(b2));body.append(...[...body.rows].sort((a2,b2)=>isDown?order(b2,a2):order(
a2,b2)))})}function made(name2,properties={},...children){let{data={},role,...own}=properties,one=Object.assign(document.createElement(name2),
own);return Object.assign(one.dataset,data),role&&one.setAttribute("role",role),one.append(...children),one}var filled2=(said2,values)=>said2.
replace(/\{(\w+)\}/g,(_2,name2)=>String(values[name2]??"")),SIGNS={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"},escaped2=text=>text.
replace(/[&<>"]/g,sign=>SIGNS[sign]);var DARK3=.85;function ranks(values){let order=Array.from(values,(_2,i2)=>i2).sort((a2,b2)=>values[a2]-values[b2]),found=new Float64Array(
values.length);for(let from=0;from<order.length;){let to=from;for(;to<order.length&&values[order[to]]===values[order[from]];)to+=1;
for(let i2=from;i2<to;i2++)found[order[i2]]=(from+to-1)/2;from=to}return found}function rankCorrelation(maps){let centred=maps.map(
values=>ranks(values).map(one=>one-(values.length-1)/2)),dot=(a2,b2)=>a2.reduce((sum,one,i2)=>sum+one*b2[i2],0),lengths=centred.map(
one=>Math.sqrt(dot(one,one))||NaN);return centred.map((a2,i2)=>centred.map((b2,j2)=>i2===j2?1:dot(a2,b2)/(lengths[i2]*lengths[j2])))}
function agreement(root,{methods,of,payload},page,colourOf){let here=methods.filter(({name:name2})=>String(of(name2)?.grid??payload.
grid)===String(payload.grid)&&of(name2)),maps=here.map(({name:name2})=>of(name2).values),shown=here.map(({name:name2},at2)=>[name2,
maps[at2]]);if(root.dataset.of===String(shown.map(([name2])=>name2))&&same2(known.get(root),maps))return;root.dataset.of=String(shown.
map(([name2])=>name2)),known.set(root,maps);let found=rankCorrelation(maps),head=(title,scope)=>made("th",{scope},made("span",{},title)),
cell=value=>{let text=Number.isNaN(value)?"–":value.toFixed(2).replace("1.00","1").replace("0.","."),one=made("td",{},text);return Number.
isNaN(value)||(one.style.background=colourOf((1+value)/2)),one.style.color=Math.abs(value)>DARK3?"white":"black",one},rows=found.map(
(values,at2)=>made("tr",{},head(here[at2].title,"row"),...values.map(cell))),heads=made("tr",{},made("td"),...here.map(({title})=>head(
title,"col")));root.replaceChildren(made("table",{ariaLabel:page.agreement},made("thead",{},heads),made("tbody",{},...rows)))}var known=new WeakMap,
same2=(some,others)=>some?.length===others.length&&some.every((one,i2)=>one===others[i2]);function drawer(root,button,box){let isOpen=()=>button.getAttribute("aria-expanded")==="true",open2=to=>{button.setAttribute("aria\
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
control)}what(){let{named}=this.words.page,said2=({title,sentence})=>filled2(named,{name:escaped2(title),said:escaped2(sentence)}),
items=this.offered.map(one=>made("li",{innerHTML:`${said2(one)} <i>${escaped2(one.paper)}</i>`}));return made("ul",{className:"met\
hods-what"},...items)}follow({notHere,hasTarget}){let{page}=this.words;for(let[kind,group]of this.groups){for(let label of group.querySelectorAll(
"label")){let{name:name2,title,ofClass}=this.offered.find(one=>one.name===label.querySelector("input").value),of=kind==="slow"&&!ofClass?
filled2(page.name_every_class,{method:title}):title;label.querySelector("span").textContent=notHere.includes(name2)?filled2(page.name_not_here,
{method:of}):of,label.hidden=ofClass&&!hasTarget}group.hidden=!group.querySelector("label:not([hidden])")}this.say()}say(){let count=this.
root.querySelectorAll("label:not([hidden]) > input[type=checkbox][value]:checked").length;this.button.textContent=filled2(this.words.
page.methods_chip,{n:count||this.ticked.size}),this.fields?.show(this.ticked)}compare(targets){let before=this.compared;this.targets=
targets;let options=targets.map(({label},at2)=>new Option(label,String(at2)));this.other.replaceChildren(new Option(this.words.page.
nobody,NOBODY),...options),this.other.value=targets.includes(before)?String(targets.indexOf(before)):NOBODY,this.other.disabled=!targets.
length}get compared(){return this.other.value===NOBODY?null:this.targets[Number(this.other.value)]??null}settings(names){return Object.
fromEntries(names.flatMap(name2=>this.fields?.of.has(name2)?[[name2,this.fields.of.get(name2)]]:[]))}};var known2=new WeakMap;function difference(one,other){let[a2,b2]=[one,other].map(values=>Array.from(values).reduce((most,value)=>Math.
max(most,Math.abs(value)),0)||1);return Float64Array.from(one,(value,i2)=>value/a2-other[i2]/b2)}function apart(painter,first,second){
let of=known2.get(first.values)??new WeakMap;if(known2.set(first.values,of),!of.has(second.values)){let values=difference(first.values,
second.values);of.set(second.values,{values,...painter.paint({isSigned:!0,values,grid:first.grid})})}return of.get(second.values)}function csv(rows){let field=value=>{let said2=value===!0?"True":value===!1?"False":String(value);return/[",\n]/.test(said2)?`"${said2.
replaceAll('"','""')}"`:said2};return[Object.keys(rows[0]),...rows.map(row=>Object.values(row))].map(line=>`${line.map(field).join(
",")}
`).join("")}function download(file,name2){let link=document.createElement("a");link.href=URL.createObjectURL(file),link.download=name2,
link.click(),setTimeout(()=>URL.revokeObjectURL(link.href),6e4)}var MEASURES=["deletion","insertion"];function asGood(own,drawn2,measure){let loss=area=>MEASURES[measure]==="deletion"?area:-area;
return drawn2.filter(({areas})=>loss(areas[measure])<=loss(own.coarse[measure])).length}var beats=(met,orders)=>(1+met)/(1+orders)<=
CHANCE_LEVEL;function owed(own,drawn2){let met=own.flatMap(one=>MEASURES.map((_2,measure)=>asGood(one,drawn2,measure)));return drawn2.
length>0&&met.length>0&&!beats(Math.min(...met),ORDERS)?0:Math.min(ORDERS_AT_ONCE,ORDERS-drawn2.length)}function needed(own,drawn2){
let count=0;for(;count<drawn2.length&&owed(own,drawn2.slice(0,count));)count+=ORDERS_AT_ONCE;return drawn2.slice(0,count)}function meanOf(drawn2){
let mean=which=>drawn2[0][which].map((_2,i2)=>drawn2.reduce((sum,one)=>sum+one[which][i2],0)/drawn2.length),[deletion,insertion,areas,
coarse]=["deletion","insertion","areas","coarse"].map(mean);return{share:drawn2[0].share,deletion,insertion,areas,coarse}}var RANDOM="random",digits=value=>String(Number(value.toPrecision(3)));function told(results,{page,export:own,methods:about},second=null){
let{methods,isAsked,label,payload,strips}=results,{width,height}=payload.bitmap,names={large:"large",all:"all_maps",said:"said_of_\
map",here:"patch_value",hidden:"patch_hidden",against:"bar_against",for:"bar_for"},tagOf=({ofClass},label2)=>ofClass?filled2(page.
for_class,{label:label2}):page.every_class,{drawn:drawn2}=results;return{window:payload.window,aspect:width/height,words:Object.fromEntries(
Object.entries(names).map(([name2,key])=>[name2,page[key]])),strips,methods:methods.map(one=>({name:one.name,title:one.title,tag:tagOf(
one,label),isOfClass:one.ofClass,waits:one.isSlow&&!isAsked(one.name)?{said:own.methodsSlow,runs:!0}:{said:"…",runs:!1},maps:mapsOf(
one)})),charts:[results,second].map(one=>one&&drawnCharts(one,page)).filter(some=>some?.length),note:label?drawn2.length?filled2(page.
band,{n:drawn2.length}):"":page.no_curves};function mapsOf(method){let[first,other]=[results,second].map(one=>one?.of(method.name));
if(!first)return[];let maps=[mapOf(method,first,results,0)];if(!other||!method.ofClass)return maps;let label2=`${results.label} − ${second.
label}`,title=`${method.title}: ${label2}`,apart2={...first,...results.apart(first,other),hidden:null},said2={title,tag:"",sentence:page.
scale_apart,numbers:[],notes:[],paper:""};return[...maps,mapOf(method,other,second,1),{...mapOf(method,apart2,results,0),alt:title,
label:label2,told:said2}]}function mapOf(method,found,of,charts){let{values,src,bounds,grid=payload.grid,hidden=null,notes=[]}=found,
[rows,cols]=grid,isMean=method.name===RANDOM&&of.drawn.length>1,valueAt=i2=>hidden?.[i2]?null:values[i2];return{alt:method.ofClass&&
of.label?`${method.title}: ${of.label}`:method.title,label:of.label,src,bounds:bounds.map(digits),scores:Array.from({length:rows},
(_2,row)=>Array.from({length:cols},(_3,col)=>valueAt(row*cols+col))),charts,told:{title:isMean?filled2(page.random_orders,{title:method.
title,n:of.drawn.length}):method.title,tag:tagOf(method,of.label),sentence:method.sentence,numbers:numbersOf(method,found,of),notes,
paper:filled2(page.paper,{paper:method.paper})}}}function numbersOf({name:name2},{curves,measured={}},{drawn:drawn3}){let isCompared=drawn3.
length>1&&name2!==RANDOM,beaten=at2=>filled2(page.beaten,{n:drawn3.length-asGood(curves,drawn3,at2),of:drawn3.length}),areas=curves?
MEASURES.map((measure,at2)=>({title:page[measure],value:curves.areas[at2].toFixed(3),beaten:isCompared?beaten(at2):""})):[],metrics=(about?.
columns??[]).filter(one=>measured[one.name]!==void 0);return[...areas,...metrics.map(({name:name3,title})=>({title,value:measured[name3].
toFixed(3),beaten:""}))]}}function drawnCharts({methods,of,drawn:drawn2,up},page){let judged2=methods.filter(({name:name2})=>of(name2)?.
curves).map(({name:name2})=>({name:name2,curves:of(name2).curves}));if(!judged2.length)return[];let all=judged2.flatMap(({curves})=>[
...curves.deletion,...curves.insertion]),bounds=[Math.min(0,...all),Math.max(1,...all)];return MEASURES.map(which=>({which,title:filled2(
page[which==="deletion"?"column_lower":"column_higher"],{title:page[which]}),up,along:page[`${which}_x`],name:filled2(page.chart_lines,
{title:page[which],x:page[`${which}_x`],y:up}),bounds,lines:judged2.map(({name:name2,curves})=>({method:name2,isRandom:name2===RANDOM,
points:curves.share.map((share2,i2)=>[share2,curves[which][i2]])})),band:bandOf(which)}));function bandOf(which){if(!drawn2.length)
return[];let at2=i2=>drawn2.map(one=>one[which][i2]);return drawn2[0].share.map((share2,i2)=>[share2,Math.min(...at2(i2)),Math.max(
...at2(i2))])}}var chanceOf=drawn2=>drawn2.length?meanOf(drawn2):null;function resultsOf({found,drawn:all,label},methods,about){let informed=methods.flatMap(({name:name2,isBaseline})=>!isBaseline&&found.
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
return judged(results).map(({name:name2,ofClass})=>{let{curves}=of(name2),over=at2=>name2===RANDOM||drawn2.length<2?"":(drawn2.length-
asGood(curves,drawn2,at2))/drawn2.length,compared=Object.fromEntries(MEASURES.map((measure,at2)=>[`${measure} over random`,over(at2)])),
[deletion,insertion]=curves.areas;return{model,class:label,method:name2,class_specific:ofClass,deletion,insertion,...compared}})});
download(new Blob([csv(rows)],{type:"text/csv"}),nameOf(model,picture,"csv"))}var nameOf=(model,picture,kind)=>`${joined([pictureName(
picture),modelName(model),"methods"])}.${kind}`;function files(root,desk,{results,asked:asked3,make:make2}){let{page,viewer,methods}=desk.words,isMade=desk.source.compares.includes(
"files"),names={csv:page.save_csv,...isMade?{png:page.save_png,npz:page.save_npz}:{}},buttons=Object.entries(names).map(([kind,title])=>{
let button=made("button",{type:"button",id:`methods-${kind}`},title);return button.addEventListener("click",()=>isMade?give(kind,title,
button):save(results(),desk.shown.model,desk.title)),button}),widths=(methods.widths??[]).map(one=>new Option(filled2(page.save_width,
{width:one}),String(one))),width=made("select",{id:"methods-width",ariaLabel:page.save_width_label,title:page.save_width_label},...widths),
link=made("button",{type:"button",className:"copy-link"},viewer.copy_link);root.append(...buttons,...widths.length?[width]:[],link);
async function give(kind,title,button){let what={file:kind,...kind==="png"?{width:Number(width.value)}:{},...asked3()},answer=await make2(
what,title);answer&&(answer.isEnglish&&(button.textContent=page.save_png_english),download(answer.file,nameOf(desk.shown.model,desk.
title,kind)))}return isReady=>{for(let one of buttons)one.disabled=!isReady}}var COLOURS2=["#1f77b4","#ff7f0e","#2ca02c","#d62728","#9467bd","#8c564b","#e377c2","#bcbd22","#17becf"],DASHES=["","7 4","2 3"],NS="\
http://www.w3.org/2000/svg";function forgetting(root,{stages,left},methods,page){let lines=methods.filter(({name:name2})=>left[name2]).
map(one=>({...one,values:[1,...left[one.name]],...strokeOf(methods.indexOf(one))})),low=Math.min(0,...lines.flatMap(({values})=>values.
filter(value=>value!==null)))-.05,drawing=document.createElementNS(NS,"svg");drawing.setAttribute("viewBox","0 0 100 100"),drawing.
setAttribute("preserveAspectRatio","none");for(let{name:name2,values,colour,dashes}of lines){let at2=(value,i2)=>[100*i2/stages.length,
100*(1.05-value)/(1.05-low)].join(","),line=document.createElementNS(NS,"polyline"),points=values.map((value,i2)=>value===null?"":
at2(value,i2)).filter(Boolean),looks={id:`line-${name2}`,points:points.join(" "),stroke:colour,"stroke-dasharray":dashes};for(let[
key,value]of Object.entries(looks))line.setAttribute(key,value);drawing.append(line)}let said2=page.chart_lines.replace("{title}",
page.forget).replace("{x}",page.forget_x).replace("{y}",page.forget_y),marks=[1,0].map(value=>{let mark2=made("span",{},String(value));
return mark2.style.top=`${100*(1.05-value)/(1.05-low)}%`,mark2}),plot=made("div",{className:"methods-left",role:"img",ariaLabel:said2},
drawing,...marks),along=made("ol",{},...[page.stage_none,...stages].map(stage=>made("li",{},made("span",{},stage)))),legend=made("\
ul",{className:"methods-legend"},...lines.map(entry));legend.addEventListener("mouseover",({target:target2})=>fade(target2.closest(
"li")?.dataset.line)),legend.addEventListener("mouseleave",()=>fade(void 0)),root.replaceChildren(made("div",{className:"methods-l\
ines"},made("p",{},page.forget_y),plot,along,made("p",{},page.forget_x)),legend);function fade(name2){for(let one of drawing.querySelectorAll(
"polyline"))one.style.opacity=!name2||one.id===`line-${name2}`?"1":"0.15"}}function entry({name:name2,title,colour,dashes}){let sample=made(
"i");return sample.style.borderTop=`3px ${dashes?"dashed":"solid"} ${colour}`,made("li",{data:{line:name2}},sample,title)}var strokeOf=number2=>({
colour:COLOURS2[number2%COLOURS2.length],dashes:DASHES[Math.floor(number2/COLOURS2.length)%DASHES.length]});var SIDE=448,Painter=class{constructor({colours,twoSided}){this.canvas=document.createElement("canvas"),this.plain=new ColourMap(Object.
values(colours)[0]),this.for=new ColourMap(twoSided.for),this.against=new ColourMap(twoSided.against),this.signed=share2=>(share2<
.5?this.against:this.for).css(Math.abs(2*share2-1)),this.strips=[this.plain,{css:this.signed}].map(one=>barOf(one).toDataURL())}setPicture(payload){
let{width,height}=payload.bitmap,scale=SIDE/Math.max(width,height);this.stage=new Stage(this.canvas,{width:Math.round(width*scale),
height:Math.round(height*scale),ratio:1}),this.stage.setPicture(payload),this.payload=payload}paint({isSigned,values,grid=this.payload.
grid,hidden=null}){let{stage,canvas,payload}=this,reach=hidden?.some(Boolean)?hidden.map(one=>!one):null,shown=values.map((one,i2)=>hidden?.[i2]?
0:one),top=Array.from(shown).reduce((most,one)=>Math.max(most,isSigned?Math.abs(one):one),0),layout={grid,first:0},view={queries:layout,
layout,high:top||1e-12,opacity:OPACITY,byValue:!0,marks:[],outlines:[]},rest={smooth:!1,showGrid:!1,reach,inputSize:payload.input};
if(stage.draw({...view,...rest,map:isSigned?this.for:this.plain,values}),isSigned){let context=canvas.getContext("2d");context.save(),
stage.clipToSeen(context,stage.inputBox()),stage.drawHeat(context,stage.inputBox(),{...view,...rest,map:this.against,values:values.
map(one=>-one)}),context.restore()}return{src:canvas.toDataURL(),bounds:[isSigned?-top:0,top]}}};var SURE=5,target=(index2,label,share2,lesson=null,sentence="")=>({index:index2,label,share:share2,lesson,sentence,found:new Map,asked:new Set,
drawn:[],skipped:new Map}),asked2=({index:index2,lesson,sentence})=>({target:index2,lesson,...sentence?{sentence}:{}});function offer(select,things,classes,{
page,export:own}){let sure=share2=>`${(100*share2).toFixed(1)} %`,said2=({label,share:share2})=>share2===null?filled2(page.largest_output,
{label}):`${label} · ${sure(share2)}`,option=(one,at2,isSure)=>new Option(isSure?said2(one):one.label,String(at2)),ofThings=things.
map((one,i2)=>option({...one,label:own.methodsThing.replace("{thing}",()=>one.label)},i2,!0)),ofClasses=classes.map((one,i2)=>option(
one,things.length+i2,i2<SURE)),named=[[own.methodsThings,ofThings],[own.methodsClasses,ofClasses]].filter(([,options])=>options.length).
map(([label,options])=>{let group=Object.assign(document.createElement("optgroup"),{label});return group.append(...options),group});
select.replaceChildren(...things.length?named:ofClasses)}function alike(lesson,other){if(!lesson||!other)return lesson===other;let isSame=(one,values)=>one.
length===values?.length&&one.every((value,i2)=>value===values[i2]),{names,prototypes}=lesson;return isSame(names,other.names)&&prototypes.
every((one,i2)=>isSame(one,other.prototypes[i2]))}function verdict(results,{page,viewer}){let{of,drawn:drawn2}=results,informed=judged(results).filter(({isBaseline})=>!isBaseline),
curvesOf=({name:name2})=>of(name2).curves;if(drawn2.length<2||!informed.length||owed(informed.map(curvesOf),drawn2))return[];let listed2=some=>escaped2(
some.map(({title})=>title).join(viewer.list_comma)),told2=MEASURES.map((measure,at2)=>{let area=one=>curvesOf(one).areas[at2],loss=one=>measure===
"deletion"?area(one):-area(one),ranked=[...informed].sort((one,other)=>loss(one)-loss(other)),isBetter=one=>beats(asGood(curvesOf(
one),drawn2,at2),drawn2.length),[better,worse]=[ranked.filter(isBetter),ranked.filter(one=>!isBetter(one))],[best,second=best]=ranked,
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
!!some}async asking(call,what,name2){let{job}=this,begun=performance.now(),answer=await this.source.atLength(call,what,(share2,said2=name2)=>{
if(this.job!==job)return;let spent=performance.now()-begun,left=share2>.02&&spent>SOON?spent/share2*(1-share2)/1e3:0,runs=this.words.
export[left>=1?"methodsLeft":"methodsRuns"];this.say(filled2(runs,{what:said2,percent:Math.round(100*share2),seconds:Math.ceil(left)}))});
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
      <div id="methods-maps"><div class="html-container"><div class="methods-screen"></div></div></div>`;let said2={"#methods-run \
> .field .label":page.target,"#methods-sentence .label":page.sentence,"#methods-go":page.compare,"#methods-stop":page.stop,"#metho\
ds-more":page.numbers,".scale":page.scale_own,".elsewhere":methods.elsewhere,"#methods-agreement summary":page.agreement,"#methods\
-agreement p":page.agreement_help,"#methods-forget summary":page.forget,"#methods-forget p":page.forget_help,"#methods-forget-go":page.
forget_go};for(let[css,text]of Object.entries(said2))this.find(css).textContent=text;this.find(".areas").innerHTML=page.areas_help,
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
lesson)return;this.things=Array.from(shares,(share2,i2)=>target(i2,lesson.names[i2],share2,lesson));let before=this.target,same3=this.
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
[]]}asks(of,names){return{run:this.run,...asked2(of),settings:this.choice.settings(names),empty:this.choice.fill}}asksOfAll(){let names=this.
methods.filter(({name:name2,isBaseline})=>!isBaseline&&this.target.found.has(name2)).map(({name:name2})=>name2);return{...this.asks(
this.target,names),methods:names,...this.second?{other:asked2(this.second)}:{}}}ticked(name2){this.choice.ticked.has(name2)&&this.
target.asked.add(name2),this.work.go()}forgetMaps(name2){for(let{found,skipped}of[...this.targets,this.target])found.delete(name2),
skipped.delete(name2);this.work.again()}forgetCurves(){for(let{found,drawn:drawn2}of[...this.targets,this.target]){for(let[name2,one]of found)
found.set(name2,{...one,curves:null});drawn2.length=0}this.work.again()}async forget(){let{target:target2}=this,{page}=this.words,
found=await this.work.alone("forget",this.asksOfAll(),page.forget_go);found&&this.target===target2&&forgetting(this.find("#methods\
-forgotten"),found,this.all,page)}get results(){let{payload}=this.desk.viewer;return this.parts.map(({target:of,wanted},at2)=>{let isScore=of.
sentence||this.here.scores,up=of.lesson?this.words.export.methodsShare:this.words.page[isScore?"curve_y_score":"curve_y"];return resultsOf(
of,at2?wanted:this.methods,{isAsked:name2=>this.target.asked.has(name2),up:up.replace("{label}",()=>of.label),payload,strips:this.
painter.strips,apart:(one,other)=>apart(this.painter,one,other)})})}say(text){this.find("#methods-note p").textContent=text}draw(){
let{run,work,words}=this,{page}=words,{results}=this,[first,second=null]=results,isJudged=judged(first).length>0;this.find("#metho\
ds-stop").disabled=!work.job,this.find("#methods-go").disabled=!!work.job||!this.classes||!work.next,this.find("#methods-more").disabled=
!isJudged,this.find("#methods-forget-go").disabled=!!work.job,this.saves(isJudged&&!work.job),run&&this.classes&&this.screen.show(
told(first,words,second)),table(this.find("#methods-table"),results,words);let ahead=results.flatMap(one=>[...second?[`<h3>“${escaped2(
one.label)}”</h3>`]:[],...verdict(one,words).map(html=>`<p class="methods-verdict">${html}</p>`)]);this.find("#methods-scores").
innerHTML=ahead.join(""),this.classes&&agreement(this.find(".methods-matrix"),first,page,this.painter.signed),this.sayTitle(first,
second),this.sayTruth(first),this.saySkipped(),this.sayTaught()}sayTitle({label,methods,of},second){let{page}=this.words;if(!this.
run||!methods.some(({name:name2})=>of(name2)))return;let key=label?second?"title_classes":"title_class":"title_no_class",values={model:this.
desk.viewer.payload.model,label,other:second?.label};this.find("h2").textContent=filled2(page[key],values)}sayTruth({methods,of}){
let objects=methods.map(({name:name2})=>of(name2)?.objects).find(Boolean);this.find(".truth").innerHTML=objects?filled2(this.words.
methods.truth,{objects:escaped2(objects)}):""}saySkipped(){let{page,viewer}=this.words,skipped=this.all.filter(({name:name2})=>this.
target.skipped.has(name2)&&this.choice.ticked.has(name2)),said2=skipped.map(({name:name2,title})=>made("li",{innerHTML:filled2(page.
named,{name:escaped2(title),said:escaped2(this.target.skipped.get(name2))})})),names=skipped.map(({title})=>title).join(viewer.list_comma);
this.find(".left").hidden=!skipped.length,this.find(".left summary").textContent=filled2(page.left_out,{names}),this.find(".left u\
l").replaceChildren(...said2)}sayTaught(){let{page,viewer,export:own}=this.words,{label,lesson}=this.target,canTeach=own.methodsTeach.
replace("{teach}",viewer.teach).replace("{tab}",page.tab_attention);this.find(".taught").textContent=lesson?own.methodsTaught.replace(
"{label}",()=>label):"",this.find(".teach").textContent=this.things.length?"":canTeach}};function offer2(root,desk){let{page}=desk.words;root.innerHTML=`<div><p></p><small></small><progress max="1" hidden></progress></d\
iv>
    <button type="button" class="get"></button><button type="button" class="stop" hidden></button><button type="button" class="clo\
se"></button>`;let find=css=>root.querySelector(css),[said2,made2,bar,get,stop,close]=["p","small","progress",".get",".stop",".clo\
se"].map(find);stop.textContent=page.stop,close.textContent=page.close,said2.setAttribute("role","status");let isClosed=!1,now=null,
turn=isRunning=>{get.hidden=close.hidden=isRunning,stop.hidden=bar.hidden=!isRunning},show=one=>{stop.hidden&&(now=one,root.hidden=
!one||isClosed&&!one.chosen,one&&(said2.textContent=one.said,made2.textContent=one.made,get.textContent=one.get,turn(!1)))};return close.
addEventListener("click",()=>{isClosed=!0,root.hidden=!0}),document.addEventListener("keydown",event=>{event.key!=="Escape"||event.
defaultPrevented||root.hidden||close.hidden||(close.click(),event.preventDefault())}),stop.addEventListener("click",()=>desk.source.
stopFetching()),get.addEventListener("click",async()=>{let{here,chosen:chosen2}=now;if(here)return desk.look({model:here});turn(!0);
let far=(share2,text)=>{bar.value=share2,said2.textContent=text||said2.textContent},failed=error=>({offer:{...now,said:error.message}}),
found=await desk.source.fetch(chosen2,far).catch(failed);return turn(!1),found.model?desk.look({model:found.model}):show(found.offer??
null)}),show}var Shelf=class{constructor(look){this.look=look,this.root=null,this.buttons=new Map,this.current=""}mount(root){this.root=root,root.
append(...this.buttons.values())}show(kept2){let ids=kept2.map(({id})=>id);for(let[id,button]of this.buttons)ids.includes(id)||(button.
remove(),this.buttons.delete(id));for(let one of kept2.toReversed()){if(this.buttons.has(one.id))continue;let button=this.made(one);
this.buttons.set(one.id,button),this.root?.append(button)}this.mark(this.current)}made({id,name:name2,blob}){let button=document.createElement(
"button"),canvas=document.createElement("canvas");return Object.assign(button,{type:"button",title:name2,ariaLabel:name2}),button.
append(canvas),button.addEventListener("click",()=>this.look(id)),paint(canvas,new File([blob],name2,{type:blob.type})),button}mark(id){
this.current=id;for(let[one,button]of this.buttons)button.setAttribute("aria-pressed",String(one===id))}};function shelf(root,desk){let{about,words}=desk,named=about.pictures.map(({name:name2})=>name2),lessons=new Map;for(let one of about.
pictures.filter(({asked:asked3})=>asked3)){let{name:name2,title}=one.asked[desk.language];one.name.endsWith("/bare")||(lessons.has(
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
picture)}));find(".own").ariaLabel=words.link.own,own.mount(find(".own"));let urls=new Map,opened2=new Map;for(let[name2,{title,pictures}]of lessons){
let button=Object.assign(document.createElement("button"),{type:"button",textContent:title,id:`lesson-${name2}`});button.addEventListener(
"click",()=>{let at2=(opened2.get(name2)??-1)+1;opened2.set(name2,at2);let picture=pictures[at2%pictures.length];desk.look({picture,
model:modelFor(picture)})}),find(".lessons > div").append(button)}for(let name2 of photos){let button=document.createElement("butt\
on"),{credit}=desk.pictures.get(name2),plain2=words.page.photo.replace("{name}",name2.slice(6)),title=credit?`${plain2} (${credit}\
)`:plain2;button.type="button",Object.assign(button,{title,ariaLabel:title});let image=new Image;image.alt="",button.append(image),
urlOf(name2).then(url=>image.src=url),button.addEventListener("click",()=>desk.look({picture:name2,model:modelFor(name2)})),find("\
.photos > div").append(button)}find(".lessons").hidden=!lessons.size,find(".photos").hidden=!photos.length;let modelFor=picture=>desk.
source.modelFor(picture,(desk.wanted??desk.shown)?.model);async function urlOf(name2){let{file,type,url}=desk.pictures.get(name2);
return url||(urls.has(name2)||urls.set(name2,URL.createObjectURL(new Blob([await desk.cargo.get(file)],{type}))),urls.get(name2))}
return choice=>{own.show(desk.brought.map(id=>({id,name:desk.pictures.get(id).title,blob:desk.pictures.get(id).blob}))),own.mark(choice.
picture),find(".forget").hidden=!desk.brought.length;let credit=desk.pictures.get(choice.picture)?.credit??"";Object.assign(find("\
.credit"),{textContent:words.page.photo.replace("{name}",credit),hidden:!credit});let why=desk.modelOf(choice.model)?.why[desk.language]??
"";Object.assign(find(".why"),{textContent:why,hidden:!why})}}function tabs(root,all){let buttons=all.map(({title,box},i2)=>{box.id||=`tab-box-${i2}`,box.setAttribute("role","tabpanel"),box.setAttribute(
"aria-label",title);let button=Object.assign(document.createElement("button"),{type:"button",role:"tab",textContent:title});return button.
setAttribute("aria-controls",box.id),button.addEventListener("click",()=>choose(i2)),button});root.append(...buttons),root.addEventListener(
"keydown",({key})=>{let by={ArrowRight:1,ArrowLeft:-1}[key];if(!by)return;let next=(buttons.findIndex(one=>one===document.activeElement)+
by+all.length)%all.length;choose(next),buttons[next].focus()}),choose(0);function choose(chosen2){buttons.forEach((button,i2)=>{button.
setAttribute("aria-selected",String(i2===chosen2)),button.tabIndex=i2===chosen2?0:-1,all[i2].box.hidden=i2!==chosen2}),all[chosen2].
shown?.()}}function open(makeSource){let cargo=new Cargo,{about}=cargo,language=chosen(about.languages),words=about.languages[language];document.
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
open(link)},here:()=>desk.here()},ask:asked3=>source.ask(asked3),makes:source.makes,named:()=>desk.title,turn:page=>{desk.turn(page)}});
Object.assign(find(".viz"),{viewer,desk}),desk.attend(viewer),desk.said=(said2,act)=>{let button=act&&Object.assign(document.createElement(
"button"),{type:"button",textContent:act.said,onclick:act.go});find("#said").replaceChildren(said2,...button?[" ",button]:[])};let name2=chip(
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
Object.keys(others).length?desk.language:""):location.href;copy(button,link,desk.isOwn(desk.shown?.picture),desk.words.link)})}var TYPE=/^image\/(jpeg|png|webp|gif|avif)$/,NAME=/\.(jpe?g|jfif|png|webp|gif|avif)$/i;async function readable(file,most){if(file.
type?TYPE.test(file.type):NAME.test(file.name))return file;try{let picture=await createImageBitmap(file),canvas=framed2(picture,picture.
width,picture.height);picture.close();let png=await new Promise(done2=>canvas.toBlob(done2)),made2=png.size>most?await jpegOf(canvas):
png,name2=`${file.name.replace(/\.\w+$/,"")}.${made2===png?"png":"jpg"}`;return new File([made2],name2,{type:made2.type,lastModified:file.
lastModified})}catch{return file}}var halves=null;function halfToFloat(bits,floats=null){if(!halves){halves=new Float32Array(65536);for(let i2=0;i2<65536;i2++){let exponent=i2>>
10&31,fraction=i2&1023,value;exponent===0?value=fraction*2**-24:exponent===31?value=fraction?NaN:1/0:value=(1+fraction/1024)*2**(exponent-
15),halves[i2]=i2&32768?-value:value}}floats??=new Float32Array(bits.length);for(let i2=0;i2<bits.length;i2++)floats[i2]=halves[bits[i2]];
return floats}var Alive=class{constructor(beat){this.beat=beat,this.runs=0,this.stop=()=>{}}async during(run){return this.runs++||(this.stop=paced(
this.beat)),run.finally(()=>--this.runs||this.stop())}};function paced(beat){try{let tick="setInterval(() => postMessage(0), 5000)",
url=URL.createObjectURL(new Blob([tick],{type:"text/javascript"})),worker=new Worker(url);return worker.onmessage=beat,()=>{worker.
terminate(),URL.revokeObjectURL(url)}}catch{let timer=setInterval(beat,5e3);return()=>clearInterval(timer)}}init_browser();var GONE=[502,503,504],SILENCE=6e4,LOOK=15e3,PATIENCE=6e4,Broken=class extends Error{},Gradio=$,Asking=class _Asking extends Gradio{constructor(root){
let address=root.replace(/\/$/,"");super(address,{events:["data","status"]});let own=this,resolve=own.resolve_config;own.resolve_config=
async(...asked3)=>({...await resolve(...asked3),root:address}),this.isLost=!1,this.heard=Date.now(),this.open=new Set,this.lost=new Promise(
(_2,broken)=>this.breaks=broken),this.lost.catch(()=>{}),this.timer=setInterval(()=>this.look(),LOOK)}static async to(root){let client=new _Asking(
root),late=setTimeout(()=>client.lose(),PATIENCE);try{return await Promise.race([client.init(),client.lost]),client.isLost&&await client.
lost,client}catch(error){throw client.lose(),error}finally{clearTimeout(late)}}get server(){return this.config.app_id}async answer(name2,given,far){
let job=this.submit(name2,given);try{return await Promise.race([answered(job,far),this.lost])}finally{this.unclosed_events.delete(
job.event_id())}}async send(file){let{files:files2,error}=await Promise.race([this.upload_files(this.app_reference,[file]),this.lost]);
if(!files2?.length)throw new Error(error);return files2[0]}lose(){this.isLost||(this.isLost=!0,this.leave(),this.breaks(new Broken(
"the connection is lost")))}leave(){clearInterval(this.timer);for(let one of this.open)one.abort();this.open.clear()}look(){this.open.
size&&Date.now()-this.heard>SILENCE&&this.lose()}async fetch(what,how){try{let answer=await super.fetch(what,how),isOurs=(answer.headers.
get("content-type")??"").includes("json");if(GONE.includes(answer.status)&&!isOurs)throw new Broken(String(answer.status));return answer}catch(error){
throw error.name==="AbortError"?error:(this.lose(),error instanceof Broken?error:new Broken(error.message))}}stream(url){let reading=new AbortController,
isOfAnswers=url.pathname.endsWith("/queue/data");isOfAnswers&&(this.abort_controller=reading);let stream={onmessage:_event=>{},onerror:_error=>{},
close:()=>reading.abort()};return this.open.add(reading),this.read(url,reading,data=>isOfAnswers&&this.pass(stream,data)).finally(
()=>this.open.delete(reading)),stream}async read(url,{signal},take){try{let answer=await this.fetch(url,{signal});if(!answer.ok)throw new Broken(
String(answer.status));for await(let data of messagesOf(answer.body))this.heard=Date.now(),take(data)}catch{}signal.aborted||this.
lose()}pass(stream,data){let{msg}=JSON.parse(data);return msg==="unexpected_error"?this.lose():(stream.onmessage({data}),msg==="cl\
ose_stream"&&this.unclosed_events.size&&!this.isLost&&this.open_stream(),null)}};async function answered(job,far){for await(let event of job){
if(event.type==="data")return event.data[0];let{progress,desc}=event.progress_data?.at(-1)??{};if(desc&&far(progress??0,desc),event.
type==="status"&&event.stage==="error")throw event.broken?new Broken(event.message):new Refused(event.message)}throw new Refused("")}
async function*messagesOf(body){let reader=body.pipeThrough(new TextDecoderStream).getReader();for(let text="";;){let{value,done:done2}=await reader.
read();if(done2)return;let parts=(text+value).split(`

`);text=parts.pop()??"",yield*parts.map(one=>one.replace(/^data: ?/,""))}}var PAUSE3=1e3,FULL=2e3,LONGEST=3e4,AWAY_LONGEST=1e4,LATE=5e3,SHORT=1e4,MOST5=5,Line=class{constructor(root,broken,full2){this.full=
full2,this.root=root,this.broken=broken,this.server=void 0,this.since=-1/0,this.pause=0,this.client=null,this.now=null,this.isLost=
!1,this.wake=()=>{},this.changed=_isLost=>{};for(let kind of["online","offline"])addEventListener(kind,()=>this.hint());document.addEventListener(
"visibilitychange",()=>document.hidden||this.hint()),addEventListener("pagehide",()=>this.now?.leave()),addEventListener("pageshow",
({persisted})=>persisted&&this.now?.lose())}connected(){return this.client||(this.client=this.connecting(),this.client.catch(()=>this.
client=null)),this.client}async connecting(){let isShort=performance.now()-this.since<SHORT;this.pause=isShort?longer(this.pause):
0;let late=this.server===void 0?0:setTimeout(()=>this.tell(!0),LATE);try{for(;;this.pause=longer(this.pause)){await this.awhile(this.
pause);try{return this.begin(await Asking.to(this.root))}catch(error){if(!(error instanceof Broken))throw error;this.tell(!0)}}}finally{
clearTimeout(late)}}begin(client){return client.lost.catch(()=>this.again()),this.now=client,this.server=client.server,this.since=
performance.now(),this.tell(!1),client}again(){this.client=null,this.now=null,this.connected().catch(()=>{})}tell(isLost){isLost!==
this.isLost&&(this.isLost=isLost,this.changed(isLost))}hint(){this.wake(),this.now?.look()}awhile(pause){return new Promise(over=>{
this.wake=()=>over(null),setTimeout(over,spread(pause))})}async called(name2,give,far=_share=>{}){for(let pause=FULL,breaks=0;;){let client=await this.
connected();try{let answer=await client.answer(`/page_${name2}`,await give(),far);if(!answer?.full)return answer;await this.full(answer.
full,spread(pause)/1e3,far),pause=Math.min(2*pause,LONGEST)}catch(error){if(!(error instanceof Broken)&&!client.isLost)throw error;
if(breaks+=1,breaks>MOST5)throw new Refused(this.broken);client.lose()}}}async sent(file){return(await this.connected()).send(file)}tells(name2){
this.now?.answer(`/page_${name2}`,[],()=>{}).catch(()=>{})}},longer=pause=>Math.min(2*pause||PAUSE3,AWAY_LONGEST),spread=pause=>pause*
(.75+Math.random()/2);var MB2=2**20,OnServer=class{constructor(cargo,language){this.about=cargo.about,this.language=language,this.words=cargo.about.languages[language],
this.makes=["link","film","page","code"],this.compares=["here","settings","fill","forget","files"],this.keeper=inBrowser,this.root=
new URL(this.about.root,location.href.split("#")[0]).href;for(let one of this.about.pictures)one.url&&(one.url=this.root+one.url);
let line=this.line=new Line(this.root,this.words.page.ended_unheard,(...full2)=>this.later(...full2));this.alive=new Alive(()=>line.
tells("alive")),this.about.searches&&(this.networks=()=>line.called("networks",()=>[this.language]),this.fetch=(chosen2,far)=>line.
called("fetch",()=>[chosen2,this.language],far),this.stopFetching=()=>line.called("stop_fetching",()=>[]),this.weights=file=>line.
called("weights",async()=>[await this.upload(file,"large_weights"),this.language])),this.uploads=new WeakMap,this.made=new Map}runs(){
return!0}can(){return!0}modelFor(picture,now){let suits=this.about.suits[/^lesson\/([a-z]+)\//.exec(picture)?.[1]]??[now];return suits.
includes(now)?now:suits[0]}async look(choice,shown,far){let{opening,start,app}=this.about;if(opening&&same({...start,page:"",fit:AS_TRAINED},
choice)&&(this.line.server??app)===app)return this.keep(choice,shown,app,{...opening,file:{url:this.root+opening.file.url}});let isSent=shown?.
blob&&this.uploads.has(shown),give=async()=>[shown?.blob?await this.sent(shown):null,choice,this.language],{file:made2,why,...value}=await this.
maps("look",give,far).catch(error=>{if(!isSent)throw error;return this.uploads.delete(shown),this.maps("look",give,far)});if(why)throw Object.
assign(new Refused(why),value);let whole=made2?{...value,file:{url:this.fileAt(made2.path)}}:value;return this.keep(choice,shown,this.
line.server,whole)}keep(choice,shown,server,value){let{run}=value;return run&&this.made.set(run,{choice,shown,server,run}),value}async known(run){
let maps=this.made.get(run);if(maps&&maps.server!==this.line.server){let{server}=this.line,again=await this.look(maps.choice,maps.
shown,_share=>{});Object.assign(maps,{server,run:again.run})}return maps?.run??run}async glance(choice,frame){let begun=performance.
now(),sent=await jpegOf(frame),text=textOf(new Uint8Array(await sent.arrayBuffer())),give=()=>[`data:image/jpeg;base64,${text}`,choice,
this.language],{rows,...found}=await this.maps("glance",give),halves2=new Uint16Array(bytesOf(rows).buffer);return{...found,rows:halfToFloat(
halves2),sent,took:performance.now()-begun}}async maps(name2,give,far=_share=>{}){let{ended,...found}=await this.line.called(name2,
give,far);if(ended)throw new Refused(this.words.page[`ended_${ended}`]??this.words.page.stopped);return found}async giveUp(){await this.
line.called("give_up",()=>[])}sent(shown){let{server}=this.line,before=this.uploads.get(shown);if(before?.server===server)return before.
file;let file=this.readable(new File([shown.blob],shown.title||shown.name,{type:shown.type})).then(one=>this.upload(one));return this.
uploads.set(shown,{server,file}),file.catch(()=>this.uploads.delete(shown)),file}async readable(file){return this.about.searches?file:
readable(file,await this.limit())}async limit(){return(await this.line.connected()).config?.max_file_size??1/0}async upload(file,large="\
large"){let most=await this.limit(),values={name:file.name,size:Math.ceil(file.size/MB2),most:Math.floor(most/MB2)};if(file.size>most)
throw new Refused(new Words(this.words.incoming).say(large,values));return{path:await this.line.sent(file),orig_name:file.name,meta:{
_type:"gradio.FileData"}}}async ask(asked3){let[kind,run,...what]=asked3;return kind==="shares"?{shares:await this.atLength("share\
s",{run,lesson:what[0],target:0})??[]}:this.line.called("ask",async()=>[[kind,await this.known(run),...what],this.language])}async atLength(call,what,far=_share=>{}){
far(0);let{run,other,...rest}=what;delete rest.scores;let asked3={...said(rest),...other?{other:said(other)}:{}},give=async()=>[call,
await this.known(run),asked3,this.language],{answer=null}=await this.alive.during(this.line.called("work",give,far));return call===
"explain"&&answer?.values&&(answer.values=Float32Array.from(answer.values)),call==="files"&&answer&&(answer.file=await this.fileOf(
answer.path)),answer}async fileOf(path){let answer=await fetch(this.fileAt(path));if(!answer.ok)throw new Error(this.words.export.
failed);return answer.blob()}settings(method,written3){return this.line.called("settings",()=>[method,written3,this.language])}fileAt(path){
return`${this.root}gradio_api/file=${path}`}async stop(){this.line.isLost||await this.line.called("stop",()=>[])}async later(why,seconds,far){
let words=new Words(this.words.page);for(let left=Math.ceil(seconds);left>0;left--)far(0,words.say("again_later",{why,seconds:left})),
await new Promise(over=>setTimeout(over,1e3));far(0,words.say("again_now"))}},said=({lesson,...what})=>({...plain(what),...lesson?
{lesson:packed(lesson)}:{}});function packed({names,prototypes}){let numbers=Float32Array.from(prototypes.flatMap(row=>[...row]));
return{names,prototypes:textOf(new Uint8Array(numbers.buffer))}}var plain=what=>JSON.parse(JSON.stringify(what,(_2,value)=>ArrayBuffer.
isView(value)?Array.from(value):value));open((cargo,language)=>new OnServer(cargo,language));})();
