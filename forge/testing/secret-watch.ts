import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import type { TestAnswer, TestRequest } from './test-forge.ts';

/** Holds everything that leaves a forge against what must never leave it. */
export interface SecretWatch {
  /** From now on nobody may be told this, nor its hash. */
  know(secret: string): void;
  /** A request was answered: what it sent under the name of a secret is one. */
  checkAnswer(method: string, path: string, request: TestRequest, answer: TestAnswer): void;
  checkLogLine(line: string): void;
}

/** The answers that are there to tell a token: once, to whoever has just made it or shown it. */
const showsToken: readonly RegExp[] = [
  /^\/(?:api\/v3\/)?admin\/users\/[^/]+\/authorizations$/,
  /^\/(?:api\/v3\/)?applications\/[^/]+\/token$/,
  /^\/login\/oauth\/access_token$/,
  /^\/settings\/tokens$/,
];

/** Hashes of passwords, lines of a stack, and a folder of this program. */
const forbidden: readonly RegExp[] = [
  /\$(?:argon2id?|scrypt|2[aby])\$/,
  /\bplain:/,
  /\n\s+at (?:async )?[\w.<> ]*\(?(?:file:|node:|\/)/,
  /\\n\s+at (?:async )?[\w.<> ]*\(?(?:file:|node:|\/)/,
  /node_modules\//,
  /hob-test-\w+/,
];
const tokenForm = /\bhob_[0-9A-Za-z]{49}\b/;
const secretMember = /"(?:password|secret|client_secret|access_token)":"((?:[^"\\]|\\.)*)"/g;
const secretField = /(?:^|&)(?:password|client_secret)=([^&]*)/g;

export function createSecretWatch(): SecretWatch {
  const secrets = new Set<string>();
  const know = (secret: string): void => {
    // A word that stands in every text would be found in every text.
    if (secret.length < 8 || /^[a-z]*$/i.test(secret)) return;
    secrets.add(secret);
    secrets.add(createHash('sha256').update(secret).digest('hex'));
  };
  const check = (text: string, patterns: readonly RegExp[], where: string): void => {
    for (const secret of secrets) {
      assert.ok(!text.includes(secret), `${where} tells the secret ${secret}`);
    }
    for (const pattern of patterns) assert.doesNotMatch(text, pattern, where);
  };
  return {
    know,
    checkAnswer(method, path, request, answer) {
      if (answer.status < 400) for (const secret of secretsOf(request.body)) know(secret);
      const [address = ''] = path.split('?');
      if (showsToken.some((pattern) => pattern.test(address))) return;
      const text = `${answer.text}\n${JSON.stringify(answer.headers)}`;
      check(text, [...forbidden, tokenForm], `${method} ${path}`);
    },
    checkLogLine: (line) => check(line, [tokenForm], 'the log'),
  };
}

function secretsOf(body: unknown): string[] {
  if (body === undefined) return [];
  const text =
    typeof body === 'string' || Buffer.isBuffer(body) ? String(body) : JSON.stringify(body);
  return [
    ...[...text.matchAll(secretMember)].map((match) => match[1] ?? ''),
    ...[...text.matchAll(secretField)].map((match) => plain(match[1] ?? '')),
  ];
}

/** A field of a form, as far as it can be read. */
function plain(text: string): string {
  return new URLSearchParams(`text=${text}`).get('text') ?? '';
}
