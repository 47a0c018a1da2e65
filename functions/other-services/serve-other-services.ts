import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

import { functionCallerOf, openToFunctions } from '#platform/function-caller.ts';
import { passiveContentHeaders } from '#platform/passive-content.ts';
import { responseEndSignal } from '#platform/response-end.ts';
import { storageFailure, storageSentences } from '#platform/storage-failure.ts';

import { logsOperations } from '../cloudwatch-logs/logs-operations.ts';
import { checkConstraints } from '../errors/constraints.ts';
import { FunctionsError, ServiceError } from '../errors/functions-error.ts';
import type { FunctionPorts } from '../http/call.ts';
import { parseStructure } from '../http/parse-value.ts';
import { eventStreamType } from '../invocation/event-stream.ts';
import type { SignedService } from '../signing/credential-scope.ts';
import type { SignedPrincipal } from '../signing/principal.ts';
import type { CheckedCredential } from '../signing/signature-verifier.ts';
import { sendServiceError, sendXml, element, type Xml } from './protocol-errors.ts';
import { otherServicesPath, recogniseService, type OtherService } from './recognise-service.ts';

/** Body of a request to another AWS service. */
const requestBytesMax = 1024 * 1024;

/**
 * Serves requests to other AWS services in their own protocols: `GetCallerIdentity` of STS, and the read operations of CloudWatch
 * Logs over the logs that are stored here; everything else is refused.
 */
export function serveOtherServices(server: FastifyInstance, ports: FunctionPorts): void {
  const logs = logsOperations(ports);
  const contexts = new WeakMap<FastifyRequest, RequestContext>();

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  server.addHook('onRequest', async (request, reply) => {
    const requestId = ports.random.id();
    reply.headers(passiveContentHeaders).header('x-amzn-requestid', requestId);
    const service = recogniseService({
      method: request.method,
      url: request.originalUrl,
      headers: request.headers,
    });
    contexts.set(request, { requestId, service: service ?? unknownService });
    // Refused before the body is read.
    if (!service || !isServed(service)) throw refusal(service ?? unknownService);
  });

  server.setErrorHandler((error, request, reply) => {
    const { service, requestId } = contexts.get(request) ?? {
      service: unknownService,
      requestId: '',
    };
    const answer = errorOf(error, service);
    if (answer.status >= 500 && answer.status !== 501) {
      request.log.error({ err: error, requestId }, 'request to another service failed');
    }
    // A client that is still sending its body would get a reset, and never read the refusal, unless the rest is read too.
    return sendServiceError(reply.removeHeader('connection'), service.protocol, answer, requestId);
  });

  const options = { bodyLimit: requestBytesMax, config: openToFunctions };
  server.all(otherServicesPath, options, async (request, reply) => {
    const context = contexts.get(request);
    if (!context) throw new Error('The request was not looked at.');
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
    const credential = await checkCredential(ports, request, signedServices[context.service.name]);
    const principal = credential.checkSignature(body);
    if (functionCallerOf(request.raw)) checkFunctionCaller(principal, context.service);
    if (context.service.name === 'sts') {
      const action = actionOf(request, body);
      return sendXml(reply, answerTokenService(action, principal, context.requestId));
    }
    const name = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const operation = logs.get(name);
    if (!operation) throw notServed(name, [...logs.keys()]);
    const input = parseStructure(operation.input, jsonOf(body));
    checkConstraints(operation.input, input);
    const call = {
      requestId: context.requestId,
      ended: responseEndSignal(reply.raw),
      isStopping: () => !server.server.listening,
      mayGoOn: () => credential.isStillValid(),
    };
    return send(reply, await operation.handle(input, call));
  });
}

interface RequestContext {
  readonly requestId: string;
  readonly service: OtherService;
}

/** For requests to the path itself. */
const unknownService: OtherService = { name: 'unknown', protocol: 'rest-json' };

const signedServices: Readonly<Record<string, SignedService>> = { logs: 'logs', sts: 'sts' };

function isServed({ name, protocol }: OtherService): boolean {
  return (name === 'sts' && protocol === 'query') || (name === 'logs' && protocol === 'json');
}

function checkCredential(
  { signatures }: FunctionPorts,
  { method, originalUrl, raw }: FastifyRequest,
  service: SignedService | undefined,
): Promise<CheckedCredential> {
  const head = { method, target: originalUrl, rawHeaders: raw.rawHeaders };
  return signatures.checkCredential(head, service);
}

/** As for operations of the function service (http/function-access.ts): the logs are those of all functions. */
function checkFunctionCaller(principal: SignedPrincipal, { name }: OtherService): void {
  if (principal.kind === 'user' || (principal.kind === 'role' && name === 'sts')) return;
  throw new ServiceError(
    'AccessDeniedException',
    `User: ${principal.arn} is not authorized to call the service ${name}. Inside a function, this requires the access key of a user.`,
    403,
  );
}

function actionOf({ originalUrl }: FastifyRequest, body: Uint8Array): string | null {
  const form = new URLSearchParams(Buffer.from(body).toString());
  const query = new URLSearchParams(originalUrl.split('?', 2)[1] ?? '');
  return form.get('Action') ?? query.get('Action');
}

function jsonOf(body: Uint8Array): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new ServiceError('SerializationException', 'The request body is not valid JSON.');
  }
}

function send(reply: FastifyReply, output: object | AsyncIterable<Uint8Array>): FastifyReply {
  return Symbol.asyncIterator in output
    ? reply.type(eventStreamType).send(Readable.from(output))
    : reply.type('application/x-amz-json-1.1').send(JSON.stringify(output));
}

function refusal({ name, protocol }: OtherService): ServiceError {
  const [code, status] = refusalCodes[protocol] ?? ['UnknownOperationException', 404];
  return new ServiceError(
    code,
    `The service ${name} is not supported by this server, which implements AWS Lambda, GetCallerIdentity of STS and reading CloudWatch Logs. To use other services elsewhere, set AWS_ENDPOINT_URL_LAMBDA instead of AWS_ENDPOINT_URL.`,
    status,
  );
}

const refusalCodes: Readonly<
  Partial<Record<OtherService['protocol'], readonly [code: string, status: number]>>
> = {
  query: ['InvalidAction', 400],
  ec2: ['InvalidAction', 400],
  s3: ['NotImplemented', 501],
  json: ['UnknownOperationException', 400],
  cbor: ['UnknownOperationException', 400],
};

function notServed(name: string, served: readonly string[]): ServiceError {
  return new ServiceError(
    'UnknownOperationException',
    `This server has no operation ${name} of CloudWatch Logs. It serves ${served.join(', ')}; log groups are created when a function first writes to them.`,
  );
}

/** Converts anything thrown to an error that the service's clients know. */
function errorOf(error: unknown, { protocol }: OtherService): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof FunctionsError) {
    const isQuery = protocol === 'query';
    const [code, status] = (isQuery ? queryCodes[error.code] : undefined) ?? [
      jsonCodes[error.code] ?? error.code,
      400,
    ];
    return new ServiceError(code, error.message, status);
  }
  const failure = storageFailure(error);
  if (failure) {
    const code = protocol === 'json' || protocol === 'cbor' ? unavailable : commonUnavailable;
    const status = failure === 'disk-full' ? 507 : 503;
    return new ServiceError(code, storageSentences[failure], status);
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status === 413) {
    return new ServiceError('RequestEntityTooLarge', 'The request is too large.', 413);
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ServiceError('InvalidRequest', 'The request is not valid.', status);
  }
  return new ServiceError('InternalFailure', 'Internal error. See the server log.', 500);
}

/** The code of CloudWatch Logs, and the one that AWS documents as common to services. Clients retry after a 5xx. */
const unavailable = 'ServiceUnavailableException';
const commonUnavailable = 'ServiceUnavailable';

/** Violated constraints have another error code here. */
const jsonCodes: Readonly<Record<string, string>> = {
  ValidationException: 'InvalidParameterException',
};

const queryCodes: Readonly<Record<string, readonly [code: string, status: number]>> = {
  MissingAuthenticationTokenException: ['MissingAuthenticationToken', 403],
  UnrecognizedClientException: ['InvalidClientTokenId', 403],
  ExpiredTokenException: ['ExpiredToken', 403],
  InvalidSignatureException: ['SignatureDoesNotMatch', 403],
  IncompleteSignatureException: ['IncompleteSignature', 400],
};

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** `GetCallerIdentity` of the Security Token Service, by which tools find out whose key they have. */
function answerTokenService(
  action: string | null,
  principal: SignedPrincipal,
  requestId: string,
): Xml {
  if (action !== 'GetCallerIdentity') {
    throw new ServiceError(
      'InvalidAction',
      `Unsupported STS action: ${action ?? 'none'}. This server supports only GetCallerIdentity, and cannot assume roles: sign with an access key.`,
    );
  }
  if (principal.kind === 'anonymous') {
    throw new ServiceError(
      'MissingAuthenticationToken',
      'Request is missing Authentication Token',
      403,
    );
  }
  return element(
    'GetCallerIdentityResponse',
    [
      element('GetCallerIdentityResult', [
        element('Arn', principal.arn),
        element('UserId', principal.userId),
        element('Account', principal.accountId),
      ]),
      element('ResponseMetadata', [element('RequestId', requestId)]),
    ],
    { xmlns: namespace },
  );
}
