/** Events to begin a test with, as services send them. */
export const eventTemplates: Readonly<Record<string, object>> = {
  'Hello world': { key1: 'value1', key2: 'value2', key3: 'value3' },
  'Function URL': {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/path',
    rawQueryString: 'name=Ada',
    headers: { 'content-type': 'application/json' },
    queryStringParameters: { name: 'Ada' },
    requestContext: {
      http: { method: 'POST', path: '/path', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' },
    },
    body: '{"name":"Ada"}',
    isBase64Encoded: false,
  },
  'Queue message': {
    Records: [
      {
        messageId: '19dd0b57-b21e-4ac1-bd88-01bbb068cb78',
        body: 'Hello',
        attributes: { ApproximateReceiveCount: '1' },
        messageAttributes: {},
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:queue',
        awsRegion: 'us-east-1',
      },
    ],
  },
};

/** The named template; the first one where there is none of that name. */
export function templateFor(title: string | null): object {
  const named = Object.entries(eventTemplates).find(([own]) => own === title);
  return named?.[1] ?? eventTemplates['Hello world'] ?? {};
}
