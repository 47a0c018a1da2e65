import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { nastyTexts } from './hostile-values.ts';
import type { TestResponse, TestRequest } from './test-forge.ts';

/** Holds everything that leaves a forge against what must never leave it. */
export interface SecretWatch {
  /** From now on no response may contain this, nor its hash. */
  know(secret: string): void;
  /** A request was answered: what it sent under the name of a secret is one. */
  checkResponse(method: string, path: string, request: TestRequest, response: TestResponse): void;
  checkLogLine(line: string): void;
}

/** Responses that contain a token on purpose: once, for the user who has just created it. */
const showsToken: readonly RegExp[] = [
  /^\/(?:api\/v3\/)?admin\/users\/[^/]+\/authorizations$/,
  /^\/(?:api\/v3\/)?applications\/[^/]+\/token$/,
  /^\/login\/oauth\/access_token$/,
  /^\/settings\/tokens\/created$/,
  /^\/(?:api\/v3\/)?app-manifests\/[^/]+\/conversions$/,
  /^\/(?:api\/v3\/)?app\/installations\/\d+\/access_tokens$/,
];

/** What a client of Git LFS got over SSH, in the actions that it sends it with. */
const returnedGrant = /"header":\{"Authorization":"RemoteAuth [^"]+"\}/g;

/** Hashes of passwords, lines of a stack, and a folder of this program. */
const forbidden: readonly RegExp[] = [
  /\$(?:argon2id?|scrypt|2[aby])\$/,
  /\bplain:/,
  /\n\s+at (?:async )?[\w.<> ]*\(?(?:file:|node:|\/)/,
  /\\n\s+at (?:async )?[\w.<> ]*\(?(?:file:|node:|\/)/,
  /node_modules\//,
  /hob-test-\w+/,
];
const tokenForm = /\bhob_[0-9A-Za-z]{49}\b|\bghs_[\w.-]{20}|PRIVATE KEY/;
const jsonSecret = /"(?:password|secret|client_secret|access_token)":"((?:[^"\\]|\\.)*)"/g;
const formSecret = /(?:^|&)(?:password|client_secret)=([^&]*)/g;

export function createSecretWatch(): SecretWatch {
  const secrets = new Set<string>();
  const know = (secret: string): void => {
    // A common string would be found everywhere, and so would one that hostile requests send as any value.
    if (secret.length < 8 || /^[a-z]*$/i.test(secret) || nastyTexts.includes(secret)) return;
    secrets.add(secret);
    secrets.add(createHash('sha256').update(secret).digest('hex'));
  };
  const check = (text: string, patterns: readonly RegExp[], where: string): void => {
    for (const secret of secrets) {
      assert.ok(!text.includes(secret), `${where} contains the secret ${secret}`);
    }
    for (const pattern of patterns) assert.doesNotMatch(text, pattern, where);
  };
  return {
    know,
    checkResponse(method, path, request, response) {
      if (response.status < 400) for (const secret of secretsOf(request.body)) know(secret);
      const [pathname = ''] = path.split('?');
      if (showsToken.some((pattern) => pattern.test(pathname))) return;
      const shown = response.text.replaceAll(returnedGrant, '');
      const text = `${shown}\n${JSON.stringify(response.headers)}`;
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
    ...[...text.matchAll(jsonSecret)].map((match) => match[1] ?? ''),
    ...[...text.matchAll(formSecret)].map((match) => plain(match[1] ?? '')),
  ];
}

/** A field of a form, as far as it can be read. */
function plain(text: string): string {
  return new URLSearchParams(`text=${text}`).get('text') ?? '';
}
