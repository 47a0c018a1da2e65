/**
 * A text for a log with the secrets in it blotted out: logs are pasted into questions. Works on the text because secrets
 * come by many ways: headers, canonical requests, bodies, the arguments of the command line.
 */
export function withoutSecrets(text: string): string {
  return secretPatterns.reduce(
    (rest, { pattern, replacement }) => rest.replaceAll(pattern, replacement),
    text,
  );
}

/** The arguments of a command line, where any value of an option may be a secret. */
export function argsWithoutSecrets(args: readonly string[]): string[] {
  let secret = false;
  return args.map((argument) => {
    if (!argument.startsWith('--')) return secret ? blot : argument;
    const [name = ''] = argument.split('=', 1);
    secret = secretOptions.includes(name);
    return secret && argument !== name ? `${name}=${blot}` : argument;
  });
}

const secretOptions = ['--set-env', '--secret-access-key'];

const blot = '***';

interface SecretPattern {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const secretPatterns: readonly SecretPattern[] = [
  { pattern: /(Signature=)[0-9a-f]+/g, replacement: `$1${blot}` },
  { pattern: /(x-amz-security-token"?: ?"?)[^"\n]+/gi, replacement: `$1${blot}` },
  {
    pattern:
      /("?(?:SecretAccessKey|SessionToken|secret_access_key|ZipFile)"?\s*[:=]\s*"?)[^"\s,}]+/gi,
    replacement: `$1${blot}`,
  },
  // Environment variables, in JSON and in shorthand, braces in quoted values included.
  {
    pattern:
      /((?:\\?")?Variables(?:\\?")?\s*[:=]\s*)\{(?:\\?"(?:[^"\\]|\\.)*?"|'[^']*'|[^{}"'])*\}?/g,
    replacement: `$1{${blot}}`,
  },
];
