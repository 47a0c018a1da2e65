/** How functions, versions and aliases are named. */
import {
  aliasNamePattern,
  functionNamePattern,
  namespacedFunctionNamePattern,
  qualifierPattern,
  versionPattern,
} from '../patterns.ts';
import { string } from '../shape.ts';

/** For operations that change functions. */
export const functionName = string({ min: 1, max: 140, pattern: functionNamePattern });
/** For those that read or invoke them, which take longer names. */
export const namespacedFunctionName = string({
  min: 1,
  max: 256,
  pattern: namespacedFunctionNamePattern,
});
export const qualifier = string({ min: 1, max: 128, pattern: qualifierPattern });
export const aliasName = string({ min: 1, max: 128, pattern: aliasNamePattern });
export const versionName = string({ min: 1, max: 1024, pattern: versionPattern });
/** Of one statement of a policy. */
export const statementId = string({ min: 1, max: 100, pattern: '([a-zA-Z0-9-_]+)' });

export const codeSigningConfigArn = string({
  min: 0,
  max: 200,
  pattern: String.raw`arn:(aws[a-zA-Z-]*)?:lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:code-signing-config:csc-[a-z0-9]{17}`,
});
