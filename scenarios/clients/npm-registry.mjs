/** A registry of npm with two packages, on loopback. It prints its address and ends with its input. */
import { createServer } from 'node:http';

const versions = ['1.0.0', '1.1.0'];

const server = createServer((request, response) => {
  const name = (request.url ?? '').slice(1);
  if (!['left', 'right'].includes(name)) {
    response.writeHead(404).end('{}');
    return;
  }
  const entries = versions.map((version) => [
    version,
    {
      name,
      version,
      dist: { tarball: `${address}/${name}-${version}.tgz`, shasum: '0'.repeat(40) },
    },
  ]);
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      name,
      'dist-tags': { latest: '1.1.0' },
      versions: Object.fromEntries(entries),
      time: { '1.0.0': '2024-01-01T00:00:00.000Z', '1.1.0': '2024-02-01T00:00:00.000Z' },
    }),
  );
});

let address = '';
server.listen(0, '127.0.0.1', () => {
  address = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${address}\n`);
});
process.stdin.resume().on('end', () => server.close(() => process.exit()));
