import type { Urls } from '../../json/urls.ts';
import type { ExchangeResult } from './exchange-code.ts';
import { type FlowError, flowErrors } from './authorize-input.ts';

export type ExchangeFormat = 'form' | 'json' | 'xml';

/** The fields of the response. As on GitHub, `scope` is separated by commas, not by spaces as in RFC 6749. */
export function representExchange(result: ExchangeResult, urls: Urls): Record<string, string> {
  switch (result.kind) {
    case 'token':
      return {
        access_token: result.token,
        token_type: 'bearer',
        scope: result.scopes.toSorted().join(','),
      };
    case 'refused':
      return representFlowError(result.error, urls);
  }
}

/** The same parameters in the response to an exchange and in the redirect of the user. */
export function representFlowError(error: FlowError, urls: Urls): Record<string, string> {
  return {
    error,
    error_description: flowErrors[error],
    error_uri: urls.docs('overview/resources-in-the-rest-api#web-application-flow'),
  };
}

/** No value needs escaping in XML: all are tokens, keywords and messages of this server. */
export function writeExchange(
  fields: Record<string, string | number>,
  format: ExchangeFormat,
): string {
  switch (format) {
    case 'json':
      return JSON.stringify(fields);
    case 'form':
      return new URLSearchParams(
        Object.entries(fields).map(([name, value]) => [name, String(value)]),
      ).toString();
    case 'xml': {
      const elements = Object.entries(fields).map(([name, value]) => `<${name}>${value}</${name}>`);
      return `<?xml version="1.0" encoding="UTF-8"?>\n<OAuth>${elements.join('')}</OAuth>\n`;
    }
  }
}
