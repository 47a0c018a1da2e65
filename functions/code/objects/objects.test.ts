import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { openSource } from '../ingest-code.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { createEndpointObjects, createFolderObjects, type ObjectStore } from './object-store.ts';
import { presignedUrl } from './presigned-url.ts';
import { objectsOf } from './repository-objects.ts';

async function contentOf(objects: ObjectStore, bucket: string, key: string): Promise<string> {
  const content = await openSource({ kind: 'object', bucket, key }, objects);
  return content instanceof Uint8Array ? content.toString() : text(content);
}

const recorded = (code: string, message: string): { message: string } => ({
  message: `Error occurred while GetObject. S3 Error Code: ${code}. S3 Error Message: ${message}`,
});
const noBucket = recorded('NoSuchBucket', 'The specified bucket does not exist');
const noKey = recorded('NoSuchKey', 'The specified key does not exist.');

async function withEndpoint(
  answer: RequestListener,
  work: (objects: ObjectStore) => Promise<void>,
): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const key = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'secret' };
  try {
    await work(
      createEndpointObjects(
        { url: `http://127.0.0.1:${port}`, region: 'us-east-1', key },
        { now: () => Date.UTC(2013, 4, 24) },
      ),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('sources of code', () => {
  it('refuses an archive in the request that is too large', async () => {
    const bytes = new Uint8Array(52_428_801);
    await assert.rejects(openSource({ kind: 'inline', bytes }, undefined), {
      code: 'RequestEntityTooLargeException',
      message: 'Zipped size must be smaller than 52428800 bytes',
    });
  });

  it('knows no bucket without an object store', async () => {
    const source = { kind: 'object', bucket: 'b', key: 'k' } as const;
    await assert.rejects(openSource(source, undefined), noBucket);
  });

  it('reads a folder, and nothing next to it', async () => {
    await inTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'objects/bucket/a/b'), { recursive: true });
      await writeFile(join(folder, 'objects/bucket/a/code.zip'), 'code');
      await writeFile(join(folder, 'objects/loose'), 'secret');
      await writeFile(join(folder, 'secret'), 'secret');
      await symlink('code.zip', join(folder, 'objects/bucket/a/inside'));
      await symlink(join(folder, 'secret'), join(folder, 'objects/bucket/a/outside'));
      const objects = createFolderObjects(join(folder, 'objects'));
      assert.equal(await contentOf(objects, 'bucket', 'a/code.zip'), 'code');
      assert.equal(await contentOf(objects, 'bucket', 'a/inside'), 'code');
      for (const bucket of ['other', 'loose', '..', '.', '', 'bucket/a']) {
        await assert.rejects(contentOf(objects, bucket, 'a/code.zip'), noBucket, bucket);
      }
      const keys = ['none', 'a', 'a/b', '../loose', 'a/../../loose', '/a/code.zip', 'a/outside'];
      for (const key of [...keys, 'a/code.zip/x', 'a\0', 'x'.repeat(300)]) {
        await assert.rejects(contentOf(objects, 'bucket', key), noKey, key);
      }
    });
  });

  it('has no versions in a folder', async () => {
    await inTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'bucket'));
      const source = { kind: 'object', bucket: 'bucket', key: 'k', version: 'v' } as const;
      await assert.rejects(
        openSource(source, createFolderObjects(folder)),
        recorded('NoSuchVersion', 'The specified version does not exist.'),
      );
    });
  });

  it("signs as AWS's documented example", () => {
    const url = presignedUrl({
      endpoint: 'https://examplebucket.s3.amazonaws.com',
      path: '/test.txt',
      version: undefined,
      region: 'us-east-1',
      key: { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      now: Date.UTC(2013, 4, 24),
      seconds: 86_400,
    });
    assert.equal(
      new URL(url).searchParams.get('X-Amz-Signature'),
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  it('reads an endpoint', async () => {
    const asked: string[] = [];
    const answer: RequestListener = (request, response) => {
      asked.push(request.url ?? '');
      response.end('code');
    };
    await withEndpoint(answer, async (objects) => {
      assert.equal(await contentOf(objects, 'bucket', 'a b/(c).zip'), 'code');
      await objects.open({ bucket: 'bucket', key: 'k', version: 'v1' });
      await assert.rejects(contentOf(objects, 'bucket', '../other/k'), noKey);
      assert.equal(await contentOf(objects, 'bucket', 'half \ud800'), 'code');
    });
    assert.equal(asked.length, 3);
    assert.match(asked[0] ?? '', /^\/bucket\/a%20b\/%28c%29\.zip\?X-Amz-Algorithm=.*&X-Amz-Sig/);
    assert.match(asked[1] ?? '', /&versionId=v1&/);
  });

  it('repeats what an endpoint refuses', async () => {
    const answer: RequestListener = (_request, response) => {
      response.statusCode = 403;
      response.end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
    };
    await withEndpoint(answer, async (objects) => {
      await assert.rejects(
        contentOf(objects, 'bucket', 'k'),
        recorded('AccessDenied', 'Access Denied'),
      );
    });
  });

  it('follows no redirection', async () => {
    const answer: RequestListener = (_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    };
    await withEndpoint(answer, async (objects) => {
      await assert.rejects(
        contentOf(objects, 'bucket', 'k'),
        recorded('307', 'The object store gave no reason.'),
      );
    });
  });

  it('reports an endpoint that does not answer, or not to the end', async () => {
    await withEndpoint(
      (request) => request.socket.destroy(),
      async (objects) => {
        await assert.rejects(contentOf(objects, 'b', 'k'), { code: 'ServiceException' });
      },
    );
    const half: RequestListener = (request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => request.socket.destroy());
    };
    await withEndpoint(half, async (objects) => {
      await assert.rejects(contentOf(objects, 'b', 'k'), { code: 'ServiceException' });
    });
  });

  it('gives up an endpoint that is too slow for the client, before its response, in it and in an error', async () => {
    const late: RequestListener[] = [
      () => {},
      (_request, response) => void response.writeHead(200).write('some'),
      (_request, response) => void response.writeHead(403).write('<Error>'),
    ];
    for (const answer of late) {
      await withEndpoint(answer, async (objects) => {
        const either = objectsOf(objects, objects);
        const within = AbortSignal.timeout(50);
        const read = async (): Promise<string> => {
          const source = { kind: 'object', bucket: 'b', key: 'k' } as const;
          const content = await openSource(source, either, within);
          return content instanceof Uint8Array ? '' : text(content);
        };
        await assert.rejects(read(), { code: 'ServiceException' });
      });
    }
  });
});
