import type { FastifyReply } from 'fastify';

import type { Protocol } from './recognise-service.ts';
import type { ServiceError } from '../errors/functions-error.ts';

/** Sends an error in the form in which clients of a protocol look for it. */
export function sendServiceError(
  reply: FastifyReply,
  protocol: Protocol,
  { code, message, status }: ServiceError,
  requestId: string,
): FastifyReply {
  reply.code(status);
  switch (protocol) {
    case 'json':
      return reply
        .type('application/x-amz-json-1.1')
        .send(JSON.stringify({ __type: code, message }));
    case 'rest-json':
      return reply
        .header('x-amzn-errortype', code)
        .type('application/json')
        .send(JSON.stringify({ message }));
    case 'cbor':
      return reply
        .header('smithy-protocol', 'rpc-v2-cbor')
        .type('application/cbor')
        .send(cborTexts({ __type: code, message }));
    case 'query':
    case 'rest-xml':
      return sendXml(
        reply,
        element('ErrorResponse', [
          element('Error', [
            element('Type', status < 500 ? 'Sender' : 'Receiver'),
            element('Code', code),
            element('Message', message),
          ]),
          element('RequestId', requestId),
        ]),
      );
    case 'ec2':
      return sendXml(
        reply,
        element('Response', [
          element('Errors', [
            element('Error', [element('Code', code), element('Message', message)]),
          ]),
          element('RequestID', requestId),
        ]),
      );
    case 's3':
      return sendXml(
        reply,
        element('Error', [
          element('Code', code),
          element('Message', message),
          element('RequestId', requestId),
        ]),
      );
  }
}

export function sendXml(reply: FastifyReply, content: Xml): FastifyReply {
  return reply.type('text/xml').send(`<?xml version="1.0" encoding="UTF-8"?>\n${content.text}`);
}

/** A type for XML fragments, so that plain strings are not mistaken for them. */
export interface Xml {
  readonly text: string;
}

export function element(
  name: string,
  content: string | readonly Xml[],
  attributes: Readonly<Record<string, string>> = {},
): Xml {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const error =
    typeof content === 'string' ? escaped(content) : content.map(({ text }) => text).join('');
  return { text: `<${name}${given.join('')}>${error}</${name}>` };
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Characters that no XML document may have are left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? '');
}

/** A map of few texts to texts (RFC 8949, section 3.1). */
function cborTexts(texts: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(texts);
  return Buffer.concat([
    Buffer.from([0xa0 + entries.length]),
    ...entries.flatMap(([name, value]) => [cborText(name), cborText(value)]),
  ]);
}

function cborText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.from([0x79, 0, 0]);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
