import { ClientError } from '../context/errors.ts';
import { printedInside } from '../validation/printed-value.ts';
import { Fraction, wholeNumber } from '../validation/input-value.ts';

/** A whole number as the AWS CLI reads it: blanks around it and underscores between digits do not matter. */
export function readInteger(word: string): number | bigint {
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(word))
    throw new ClientError(255, `invalid literal for int() with base 10: ${printedInside(word)}`);
  return wholeNumber(word.trim().replaceAll('_', '').replace(/^\+/, ''));
}

export function readFraction(word: string): Fraction {
  const bare = word.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare))
    throw new ClientError(255, `could not convert string to float: ${printedInside(word)}`);
  return new Fraction(Number(bare));
}
