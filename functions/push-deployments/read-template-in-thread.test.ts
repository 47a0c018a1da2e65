import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { readTemplate } from '#deployment/read-template.ts';
import { readTemplateInThread } from './read-template-in-thread.ts';

suite('a template that is read in a thread', () => {
  const valid = `Transform: AWS::Serverless-2016-10-31
Resources:
  Greet:
    Type: AWS::Serverless::Function
    Properties: { Runtime: nodejs22.x, Handler: index.handler, CodeUri: greet }
`;
  const kib = 1024;
  const texts: Readonly<Record<string, string>> = {
    'a short one': valid,
    'a long one': `${valid}${'# a comment\n'.repeat(kib)}`,
    'a long one with a problem': `${valid}Outputs: {}\nMappings: {}\n${'# a comment\n'.repeat(kib)}`,
    'one that is too long': '#'.repeat(64 * kib + 1),
  };
  for (const [what, text] of Object.entries(texts)) {
    test(`is the same: ${what}`, async () => {
      assert.deepEqual(await readTemplateInThread(text, 'a.yaml'), readTemplate(text, 'a.yaml'));
    });
  }

  test('holds nothing else up, whatever it is made of', async () => {
    const hostile = ['[', '- ', '\t- \n', '}\n', '&a ', 'a:\n', '- [{a: '];
    for (const piece of hostile) {
      const text = piece.repeat(Math.floor((64 * kib) / piece.length));
      const before = process.threadCpuUsage();
      const reading = await readTemplateInThread(text, 'a.yaml');
      const { user } = process.threadCpuUsage(before);
      assert.equal(reading.kind, 'refused', piece);
      // On this thread they take several times that.
      assert.ok(user < 150_000, `${piece}: ${user} µs`);
    }
  });
});
