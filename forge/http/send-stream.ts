import type { FastifyReply, FastifyRequest } from 'fastify';

import { startTransfer, transferCaller, type TransferGate } from './transfer-gate.ts';
import type { Answer, AnswerStream } from './answer.ts';
import type { AnswerSender } from './send-response.ts';

/** Sends an answer whose bytes are read while they are sent, and only where they are wanted. */
export async function sendStream(
  answer: Answer,
  { bytes, open }: AnswerStream,
  request: FastifyRequest,
  reply: FastifyReply,
  { sender, transfers }: { readonly sender: AnswerSender; readonly transfers: TransferGate },
): Promise<FastifyReply> {
  if (sender.isUnchanged(request, answer)) return sender.send(request, reply, answer);
  if (request.method === 'HEAD') {
    reply.header('content-length', bytes);
    return sender.send(request, reply, answer);
  }
  const caller = transferCaller(request.forge.caller, request.ip);
  const stream = await startTransfer(transfers, caller, reply.raw, async () => ({
    stream: await open(),
  }));
  // Not before: what is refused has another length.
  reply.header('content-length', bytes);
  return sender.send(request, reply, answer, stream);
}
