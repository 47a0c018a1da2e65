import Type, { type Static } from 'typebox';

import { invalid } from '../errors/api-error.ts';
import { stringEnum, nullable } from '../http/schemas.ts';
import type { Side } from '../model/diff-lines.ts';
import { resource } from '../model/review-comment.ts';

const number = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const side = stringEnum(['LEFT', 'RIGHT']);

/** The fields of a request with the position of a comment in a file's diff. */
export const diffPositionProperties = {
  position: Type.Optional(nullable(number)),
  line: Type.Optional(nullable(number)),
  side: Type.Optional(nullable(side)),
  start_line: Type.Optional(nullable(number)),
  start_side: Type.Optional(nullable(stringEnum(['LEFT', 'RIGHT', 'side']))),
};

/** A position in the diff, as from older clients, or line numbers. */
export type DiffPositionInput =
  | { readonly kind: 'position'; readonly position: number }
  | {
      readonly kind: 'lines';
      readonly side: Side;
      readonly line: number;
      readonly start: { readonly side: Side; readonly line: number } | null;
    };

const positionBody = Type.Object(diffPositionProperties);

export function readDiffPosition(body: Static<typeof positionBody>): DiffPositionInput {
  const { position, line, start_line: startLine, start_side: startSide } = body;
  if (typeof line !== 'number') {
    if (typeof position === 'number') return { kind: 'position', position };
    return invalid({
      resource,
      field: 'line',
      code: 'custom',
      message: 'Specify the line of the comment: line and side, or position.',
    });
  }
  const ownSide = body.side ?? 'RIGHT';
  const start =
    typeof startLine === 'number'
      ? {
          side: startSide === 'LEFT' || startSide === 'RIGHT' ? startSide : ownSide,
          line: startLine,
        }
      : null;
  return { kind: 'lines', side: ownSide, line, start };
}
