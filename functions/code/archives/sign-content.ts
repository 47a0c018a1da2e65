import type * as Sdk from '@aws-sdk/client-s3';

/** The signature is of the content, so the store refuses another one. Of a stream, the SDK would sign the headers alone. */
export function signContent(command: Sdk.PutObjectCommand, sha256: string): void {
  command.middlewareStack.add(
    (next) => async (args) => {
      addHeader(args.request, 'x-amz-content-sha256', sha256);
      return next(args);
    },
    { step: 'build' },
  );
}

function addHeader(request: unknown, name: string, value: string): void {
  if (typeof request !== 'object' || request === null || !('headers' in request)) return;
  const { headers } = request;
  if (typeof headers === 'object' && headers !== null) Object.assign(headers, { [name]: value });
}
