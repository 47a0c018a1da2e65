/** Functions that look around from inside: an event says what to do. */

export const nodeProbe: string = `
import fs from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';

let invocations = 0;
const never = () => new Promise(() => setInterval(() => {}, 1000));

const actions = {
  environment: ({ names }) => Object.fromEntries(names.map((name) => [name, process.env[name]])),
  read: ({ path }) => fs.readFileSync(path, 'utf8'),
  list: ({ path }) => fs.readdirSync(path).sort(),
  write: ({ path, text }) => fs.writeFileSync(path, text),
  count: () => ++invocations,
  // A grandchild in a session of its own, whose parent is gone: no process waits for it.
  escape: () => {
    // Complete whenever it may be killed.
    const loop = 'while :; do date +%s%N > /tmp/next && mv /tmp/next /tmp/alive; sleep 0.02; done';
    spawn('setsid', ['sh', '-c', '(' + loop + ') &'], { stdio: 'ignore', detached: true }).unref();
    return never();
  },
  fill: ({ mebibytes }) => {
    const piece = Buffer.alloc(4 * 1024 * 1024, 1);
    const file = fs.openSync('/tmp/filling', 'w');
    let written = 0;
    try {
      while (written < mebibytes * 1024 * 1024) written += fs.writeSync(file, piece);
      return { written };
    } catch (error) {
      return { written, code: error.code };
    } finally {
      fs.closeSync(file);
      fs.rmSync('/tmp/filling');
    }
  },
  // Allocates space without writing it.
  reserve: ({ mebibytes }) => {
    const { status, stderr } = spawnSync('fallocate', ['-l', mebibytes + 'MiB', '/tmp/reserved']);
    fs.rmSync('/tmp/reserved', { force: true });
    return status === 0 ? 'there is space' : String(stderr);
  },
  allocate: ({ mebibytes }) => Buffer.alloc(mebibytes * 1024 * 1024, 1).length,
  connect: ({ host, port }) =>
    new Promise((resolve) => {
      const socket = connect({ host, port });
      socket.once('data', (bytes) => { socket.destroy(); resolve(bytes.toString()); });
      socket.once('error', (error) => resolve(error.code));
      setTimeout(() => { socket.destroy(); resolve('silence'); }, 1500).unref();
    }),
  log: ({ lines }) => { for (const [level, line] of lines) console[level](line); },
  fail: ({ message }) => { throw new TypeError(message); },
  exit: ({ status }) => process.exit(status),
  sleep: ({ milliseconds }) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  context: (_event, context) => ({ ...context, left: context.getRemainingTimeInMillis() }),
};

switch (process.env.AT_START) {
  case 'throw': throw new Error('no start today');
  case 'exit': process.exit(3);
  case 'allocate': globalThis.allocated = Buffer.alloc(600 * 1024 * 1024, 1);
  case 'hang': await never();
}

export const handler = async (event, context) => actions[event.do](event, context);
export const other = async () => 'the other handler';
`;

export const pythonProbe: string = `
import logging, os

count = 0

def handler(event, context):
    global count
    count += 1
    what = event.get("do")
    if what == "fail":
        raise KeyError(event["message"])
    if what == "exit":
        os._exit(event["status"])
    if what == "log":
        print("printed")
        logging.getLogger().error("logged")
    if what == "context":
        return {"name": context.function_name, "id": context.aws_request_id,
                "memory": context.memory_limit_in_mb, "version": context.function_version,
                "left": context.get_remaining_time_in_millis()}
    return {"event": event, "count": count, "runtime": os.environ["AWS_EXECUTION_ENV"]}
`;
