import { ClientError } from '../context/errors.ts';
import { printedInside } from '../validation/printed-value.ts';
import { Fraction, wholeNumber } from '../validation/input-value.ts';

/** A whole number as the AWS CLI reads it: blanks around it and underscores between digits do not matter. */
export function readInteger(text: string): number | bigint {
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(text))
    throw new ClientError(255, `invalid literal for int() with base 10: ${printedInside(text)}`);
  return wholeNumber(text.trim().replaceAll('_', '').replace(/^\+/, ''));
}

export function readFraction(text: string): Fraction {
  const digits = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits))
    throw new ClientError(255, `could not convert string to float: ${printedInside(text)}`);
  return new Fraction(Number(digits));
}
