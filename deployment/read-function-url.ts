import { present } from '#platform/present.ts';

import type { CorsSettings, UrlSettings } from './template.ts';
import type { TemplateValues, Value } from './template-values.ts';

/**
 * Reads the function URL of a function and its CORS settings.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-property-function-functionurlconfig.html
 */
export function readFunctionUrl(
  values: TemplateValues,
  value: Value | undefined,
): UrlSettings | undefined {
  if (!value) return undefined;
  let authType: string | undefined;
  let invokeMode: string | undefined;
  let cors: CorsSettings | undefined;
  for (const entry of values.entries(value)) {
    if (entry.key === 'AuthType') authType = values.text(entry.value);
    else if (entry.key === 'InvokeMode') invokeMode = values.text(entry.value);
    else if (entry.key === 'Cors') cors = readCors(values, entry.value);
    else values.refuse(entry.value, 'this property is not supported.');
  }
  if (authType !== 'NONE' && authType !== 'AWS_IAM') {
    values.refuse(value, 'AuthType must be NONE or AWS_IAM.');
    return undefined;
  }
  return { AuthType: authType, ...present({ InvokeMode: invokeMode, Cors: cors }) };
}

function readCors(values: TemplateValues, value: Value): CorsSettings {
  const cors: Record<string, unknown> = {};
  for (const { key, value: member } of values.entries(value)) {
    if (key === 'AllowCredentials') cors[key] = values.boolean(member);
    else if (key === 'MaxAge') cors[key] = values.integer(member);
    else if (/^(?:Allow(?:Headers|Methods|Origins)|ExposeHeaders)$/.test(key)) {
      cors[key] = values.list(member, (item) => values.text(item));
    } else values.refuse(member, 'this property is not supported.');
  }
  return cors;
}
