import type { Option } from './argument-parser.ts';

/** The options that every command takes, in the order of help. */
export const globalOptions: readonly Option[] = [
  { name: 'debug', takes: 'none' },
  { name: 'endpoint-url', takes: 'one' },
  { name: 'no-verify-ssl', takes: 'none', key: 'verify-ssl', constant: false },
  { name: 'no-paginate', takes: 'none', key: 'paginate', constant: false },
  { name: 'output', takes: 'one', choices: ['json', 'text', 'table', 'yaml', 'yaml-stream'] },
  { name: 'query', takes: 'one' },
  { name: 'profile', takes: 'one' },
  { name: 'region', takes: 'one' },
  { name: 'version', takes: 'none' },
  { name: 'color', takes: 'one', choices: ['on', 'off', 'auto'] },
  { name: 'no-sign-request', takes: 'none', key: 'sign-request', constant: false },
  { name: 'ca-bundle', takes: 'one' },
  { name: 'cli-read-timeout', takes: 'one' },
  { name: 'cli-connect-timeout', takes: 'one' },
  { name: 'cli-binary-format', takes: 'one', choices: ['base64', 'raw-in-base64-out'] },
  { name: 'no-cli-pager', takes: 'none', key: 'cli-pager', constant: false },
  { name: 'cli-auto-prompt', takes: 'none' },
  { name: 'no-cli-auto-prompt', takes: 'none' },
  { name: 'cli-error-format', takes: 'one', choices: ['text', 'json'], whole: true },
];
