import type { FirstCredentials } from '#forge/accounts/first-start.ts';

/** What the operator has chosen and need not be told. */
interface Chosen {
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

/** What a start prints: always the addresses, and once, at the very first start, the credentials that were made up. */
export function welcome(
  baseUrl: string,
  credentials: FirstCredentials | undefined,
  chosen: Chosen,
): string[] {
  const lines = [`Hob is ready at ${baseUrl}`, `  API base address   ${baseUrl}/api/v3`];
  if (!credentials) return lines;
  const password = chosen.password === undefined ? credentials.password : 'as you set it';
  const token = chosen.token === undefined ? credentials.token : '$HOB_ADMIN_TOKEN';
  return [
    ...lines,
    '',
    'This is the first start: a site administrator was made. These are shown only now.',
    `  login      ${credentials.login}`,
    `  password   ${password}`,
    `  token      ${chosen.token === undefined ? token : 'as you set it'}`,
    '',
    'Try it:',
    `  curl -H "Authorization: token ${token}" ${baseUrl}/api/v3/user`,
    '',
  ];
}
