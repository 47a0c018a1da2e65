/** Run inside: prints, as the last line, what a program was given and what it can reach. The last argument says where to look. */
const { readdirSync, readFileSync, existsSync } = require('node:fs');
const { hostname, networkInterfaces } = require('node:os');

const args = process.argv.slice(2);
const { paths, pids } = JSON.parse(args.pop() ?? '{}');
const attempt = (action) => {
  try {
    return action();
  } catch (error) {
    return error.code;
  }
};
const status = readFileSync('/proc/self/status', 'utf8');
process.stdout.write(
  `${JSON.stringify({
    args,
    environment: process.env,
    directory: attempt(() => process.cwd()),
    hostname: hostname(),
    root: attempt(() => readdirSync('/')),
    interfaces: Object.keys(networkInterfaces()),
    routes: readFileSync('/proc/net/dev', 'utf8').split('\n').length,
    processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    capabilities: /^CapEff:\s+(\w+)/m.exec(status)?.[1],
    privileges: /^NoNewPrivs:\s+(\d)/m.exec(status)?.[1],
    filter: /^Seccomp:\s+(\d)/m.exec(status)?.[1],
    seen: paths.filter((path) => existsSync(path)),
    signalled: pids.filter((pid) => attempt(() => process.kill(pid, 0)) === true),
    left: existsSync('/tmp/made'),
  })}\n`,
);
