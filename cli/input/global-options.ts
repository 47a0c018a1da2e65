import type { Option } from './argument-parser.ts';

/** The options that every command takes, in the order of help. */
export const globalOptions: readonly Option[] = [
  { name: 'debug', arity: 'none' },
  { name: 'endpoint-url', arity: 'one' },
  { name: 'no-verify-ssl', arity: 'none', key: 'verify-ssl', constant: false },
  { name: 'no-paginate', arity: 'none', key: 'paginate', constant: false },
  { name: 'output', arity: 'one', choices: ['json', 'text', 'table', 'yaml', 'yaml-stream'] },
  { name: 'query', arity: 'one' },
  { name: 'profile', arity: 'one' },
  { name: 'region', arity: 'one' },
  { name: 'version', arity: 'none' },
  { name: 'color', arity: 'one', choices: ['on', 'off', 'auto'] },
  { name: 'no-sign-request', arity: 'none', key: 'sign-request', constant: false },
  { name: 'ca-bundle', arity: 'one' },
  { name: 'cli-read-timeout', arity: 'one' },
  { name: 'cli-connect-timeout', arity: 'one' },
  { name: 'cli-binary-format', arity: 'one', choices: ['base64', 'raw-in-base64-out'] },
  { name: 'no-cli-pager', arity: 'none', key: 'cli-pager', constant: false },
  { name: 'cli-auto-prompt', arity: 'none' },
  { name: 'no-cli-auto-prompt', arity: 'none' },
  { name: 'cli-error-format', arity: 'one', choices: ['text', 'json'], unabbreviated: true },
];
