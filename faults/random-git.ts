/** Random requests to the routes of git over HTTP. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

import { hostileAuthorization, nastyText } from '../forge/testing/hostile-values.ts';
import { filledPath, type Route } from './random-route.ts';
import type { Targets } from './random-targets.ts';

export function gitRoutes(): readonly Route[] {
  return gitPaths.map(toGit);
}

function toGit(path: string): Route {
  return (targets) => {
    const service = /git-(?:upload|receive)-pack/.exec(path)?.[0];
    const password = Buffer.from(`x:${targets.token}`).toString('base64');
    return fc
      .record({
        path: filledPath(path, targets),
        protocol: fc.constantFrom(undefined, 'version=1', 'version=2', 'version=9:x', ''),
        encoding: fc.constantFrom(undefined, undefined, undefined, 'gzip', 'br'),
        type: fc.oneof(
          { weight: 6, arbitrary: fc.constant(`application/x-${service ?? 'x'}-request`) },
          fc.constantFrom('text/plain', ''),
        ),
        authorization: fc.oneof(
          { weight: 4, arbitrary: fc.constant(`Basic ${password}`) },
          hostileAuthorization,
        ),
        body: gitBody(targets),
      })
      .map(({ path: chosen, protocol, encoding, type, authorization, body }) => {
        const isPost = service !== undefined && !chosen.includes('?');
        return {
          name: `git ${path}`,
          method: isPost ? 'POST' : 'GET',
          target: chosen,
          headers: {
            'user-agent': 'git/2.50.0',
            ...(isPost ? { 'content-type': type } : {}),
            ...(protocol === undefined ? {} : { 'git-protocol': protocol }),
            ...(encoding === undefined || !isPost ? {} : { 'content-encoding': encoding }),
            ...(authorization === undefined ? {} : { authorization }),
          },
          body: isPost ? body : undefined,
        };
      });
  };
}

const gitPaths = [
  '/:owner/:repo.git/info/refs?service=git-upload-pack',
  '/:owner/:repo.git/info/refs?service=git-receive-pack',
  '/:owner/:repo/info/refs',
  '/:owner/:repo.git/git-upload-pack',
  '/:owner/:repo.git/git-receive-pack',
  '/:owner/:repo.git/HEAD',
  '/:owner/:repo.git/info/lfs/:rest',
  '/:owner/:repo.git/objects/:rest',
];

/** Lines of packets (gitprotocol-common(5)) that fit together, and such as do not, with an end that is none. */
function gitBody(targets: Targets): Arbitrary<Buffer> {
  const ids = [...(targets.valuesOf('sha') ?? []), '0'.repeat(40), 'f'.repeat(40), 'x'];
  const id = fc.constantFrom(...ids);
  const ref = fc.oneof(
    fc.constantFrom('refs/heads/main', 'refs/heads/topic', 'refs/heads/new', 'refs/tags/v1'),
    fc.constantFrom('refs/pull/1/head', 'refs/hob/x', 'HEAD', 'refs/heads/../x'),
    nastyText,
  );
  const line = fc.oneof(
    id.map((want) => `want ${want} no-progress ofs-delta side-band-64k\n`),
    id.map((have) => `have ${have}\n`),
    fc.tuple(id, id, ref).map(([from, to, name]) => `${from} ${to} ${name}\0 report-status atomic`),
    fc.constantFrom('done\n', 'command=ls-refs\n', 'command=fetch\n', 'peel\n', 'deepen 1\n'),
    fc.constantFrom(
      'filter blob:none\n',
      'deepen -1\n',
      'shallow x\n',
      'agent=x\n',
      'wait-for-done\n',
    ),
    nastyText,
  );
  const packet = line.map((text) => {
    const bytes = Buffer.from(text).subarray(0, 60_000);
    const length = (bytes.length + 4).toString(16).padStart(4, '0');
    return Buffer.concat([Buffer.from(length), bytes]);
  });
  const odd = fc.constantFrom(
    '0000',
    '0001',
    '0002',
    '0003',
    'ffff',
    'zzzz',
    'PACK\0\0\0\u0002',
    '',
  );
  const piece = fc.oneof(
    { weight: 3, arbitrary: packet },
    odd.map((text) => Buffer.from(text)),
  );
  const end = fc.oneof(fc.constant(Buffer.from('0000')), fc.uint8Array({ maxLength: 60 }));
  return fc
    .tuple(fc.array(piece, { maxLength: 6 }), end)
    .map(([pieces, last]) => Buffer.concat([...pieces, last]));
}
