import { startLauncher } from './start-launcher.ts';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
const dir = mkdtempSync('/tmp/hobl-');
const l = await startLauncher({ folder: dir + '/launcher', log: (x) => console.log('LOG', x), strongestTier: (process.argv[2] ?? 'full') as never });
console.log(l.isolation.tier, l.isolation.enforcement.files.by);
let onData = () => {};
const server = createServer((s) => { s.on('data', () => onData()); }).listen(dir + '/output');
const opens: number[]=[], closes: number[]=[], starts: number[]=[], data: number[]=[], ends: number[]=[], bare: number[]=[], kills: number[]=[];
const p50=(a: number[])=>{a.sort((x,y)=>x-y);return [a[0]!.toFixed(1),a[a.length>>1]!.toFixed(1)].join('/')};
for (let i=0;i<15;i++) {
 let t=performance.now(); const since=(a: number[])=>a.push(performance.now()-t);
 const p = await l.open({ id: 'p'+i, memoryMiB: 128, temporaryMiB: 512, mounts: [{from:'/root', to:'/var/task'}], network: { kind: 'none' } }); since(opens);
 for (let j=0;j<2;j++){
 t=performance.now();
 const first=new Promise<void>(r=>{onData=r});
 const r = await p.start({ command: ['/bin/sh','-c', j ? 'echo hi': 'echo hi; sleep 9'], environment: {}, directory: '/tmp', output: dir + '/output' }); since(starts);
 await first; since(data);
 t=performance.now();
 if (j===0) { await r.kill(); since(kills);} else { await r.ended; since(ends);}
 }
 t=performance.now(); await new Promise<void>(r => { spawn('/bin/sh',['-c','echo hi']).stdout.once('data', () => r()) }); since(bare);
 t=performance.now(); await p.close(); since(closes);
}
console.log({opens:p50(opens),starts:p50(starts),data:p50(data),ends:p50(ends),kills:p50(kills),bare:p50(bare),closes:p50(closes)});
await l.close(); server.close(); rmSync(dir,{recursive:true});
