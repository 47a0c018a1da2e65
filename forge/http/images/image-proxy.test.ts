import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { movableClock } from '../../testing/movable-clock.ts';

import { type Image, ImageError } from './fetch-image.ts';
import { createImageProxy } from './image-proxy.ts';

describe('images of other servers in memory', () => {
  const url = new URL('https://x.test/a.png');
  const image = (bytes: number): Image => ({
    contentType: 'image/png',
    body: Buffer.alloc(bytes),
  });
  const atOnce = <T>(work: () => Promise<T>): Promise<T> => work();

  function proxyOf(answer: () => Promise<Image>) {
    const clock = movableClock();
    let count = 0;
    const proxy = createImageProxy({ clock, refuses: () => false }, () => {
      count += 1;
      return answer();
    });
    return { proxy, clock, fetched: () => count };
  }

  test('are fetched once for readers at the same time, and again an hour later', async () => {
    const { proxy, clock, fetched } = proxyOf(async () => image(1));
    const both = await Promise.all([proxy.get(url, atOnce), proxy.get(url, atOnce)]);
    assert.equal(both[0], both[1]);
    clock.advance(3_599_000);
    await proxy.get(url, atOnce);
    assert.equal(fetched(), 1);
    clock.advance(2000);
    await proxy.get(url, atOnce);
    assert.equal(fetched(), 2);
  });

  test('that failed are not asked for by every reader, but later', async () => {
    const { proxy, clock, fetched } = proxyOf(() => Promise.reject(new ImageError('gone')));
    for (const _ of [1, 2]) await assert.rejects(proxy.get(url, atOnce), { message: 'gone' });
    assert.equal(fetched(), 1);
    clock.advance(61_000);
    await assert.rejects(proxy.get(url, atOnce), { message: 'gone' });
    assert.equal(fetched(), 2);
  });

  test('are asked for again after a reader who got no slot', async () => {
    const { proxy, fetched } = proxyOf(async () => image(1));
    const busy = (): Promise<never> => Promise.reject(new Error('busy'));
    await assert.rejects(proxy.get(url, busy), { message: 'busy' });
    await proxy.get(url, atOnce);
    assert.equal(fetched(), 1);
  });

  test('take a bounded amount of memory, the newest staying', async () => {
    const { proxy, fetched } = proxyOf(async () => image(5 * 1024 * 1024));
    const at = (number: number): URL => new URL(`https://x.test/${number}.png`);
    for (let number = 0; number < 8; number += 1) await proxy.get(at(number), atOnce);
    assert.equal(fetched(), 8);
    await proxy.get(at(7), atOnce);
    assert.equal(fetched(), 8);
    await proxy.get(at(0), atOnce);
    assert.equal(fetched(), 9);
  });
});
