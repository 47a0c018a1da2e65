import { startLauncher } from '/work/main/functions/launcher/start-launcher.ts';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
const dir = mkdtempSync('/tmp/hobl-');
const t0=performance.now();
const l = await startLauncher({ folder: dir + '/launcher', log: (x) => console.log('LOG', x), strongestTier: (process.argv[2] ?? 'full') as never });
console.log('ready ms', performance.now()-t0, l.isolation);
let out = '';
const server = createServer((s) => { s.setEncoding('utf8').on('data', (d) => out += d); }).listen(dir + '/output');
async function time(f: () => Promise<unknown>) { const t = performance.now(); await f(); return +(performance.now() - t).toFixed(2); }
const opens=[]; 
for (let i=0;i<4;i++) { const t=performance.now(); const p = await l.open({ id: 'p'+i, memoryMiB: 128, temporaryMiB: 512, mounts: [{from:'/root', to:'/var/task'}], network: { kind: 'none' } }); opens.push(+(performance.now()-t).toFixed(1)); 
 if (i<3) await p.close(); else {
  const run = async (script: string) => { out=''; const r = await p.start({ command: ['/bin/sh', '-c', script], environment: { FOO: 'bar' , PATH: '/usr/bin:/bin:/usr/sbin'}, directory: '/tmp', output: dir + '/output' }); const e = await r.ended; await new Promise(r=>setTimeout(r,20)); console.log(JSON.stringify(e), out, await r.peakMemory()); };
  await run('id; env; ls -la / /tmp /etc /dev; ls /proc; cat /proc/self/uid_map; grep -E "Cap|NoNew|Secc" /proc/self/status; ls -l /proc/self/fd; touch /x; df -m /tmp; unshare -U id; mount -t tmpfs x /tmp; ls /var/task | head -3');
  await run('kill -9 $$');
  await run('head -c 300m /dev/zero | tail | wc -c');
  await run('dd if=/dev/zero of=/tmp/big bs=1M count=600; ls -la /tmp');
  const ts: number[] = [], bare: number[]=[];
  for (let k=0;k<30;k++) { ts.push(await time(async () => (await p.start({ command: ['/bin/true'], environment: {}, directory: '/tmp', output: dir + '/output' })).ended));
   bare.push(await time(() => new Promise(r => spawn('/bin/true').once('exit', r)))); }
  ts.sort((a,b)=>a-b); bare.sort((a,b)=>a-b);
  console.log('start+end p50', ts[15], 'min', ts[0], 'bare', bare[15], bare[0]);
  console.log('listen', await time(async () => { console.log(await p.listenInside((s) => { s.end('hello\n'); })); }));
  }
}
console.log('opens', opens);
console.log('close', await time(() => l.close()));
server.close(); rmSync(dir, { recursive: true });
