/**
 * The value of an expression of numbers, `+ - * / ** <<`, parentheses and names of other such expressions, as limits are
 * written in the code; undefined for any other.
 */
export function evaluate(
  expression: string,
  expressionOf: (name: string) => string | undefined,
): number | undefined {
  const tokens = expression.match(/\d[\d_.]*|\w+|\*\*|<<|\S/g) ?? [];
  const { value, next } = operation(tokens, 0, 0, expressionOf);
  return next === tokens.length ? value : undefined;
}

interface Parsed {
  readonly value: number | undefined;
  /** Index of the token after it. */
  readonly next: number;
}

type Names = (name: string) => string | undefined;

const operators: Readonly<
  Record<string, readonly [precedence: number, apply: (left: number, right: number) => number]>
> = {
  '<<': [1, (left, right) => left * 2 ** right],
  '+': [2, (left, right) => left + right],
  '-': [2, (left, right) => left - right],
  '*': [3, (left, right) => left * right],
  '/': [3, (left, right) => left / right],
  '**': [4, (left, right) => left ** right],
};

/** Operators of the same precedence apply from left to right. */
function operation(tokens: readonly string[], start: number, above: number, names: Names): Parsed {
  let { value, next } = operand(tokens, start, names);
  for (;;) {
    const operator = operators[tokens[next] ?? ''];
    if (!operator || operator[0] <= above) return { value, next };
    const right = operation(tokens, next + 1, operator[0], names);
    value =
      value === undefined || right.value === undefined
        ? undefined
        : operator[1](value, right.value);
    next = right.next;
  }
}

function operand(tokens: readonly string[], start: number, names: Names): Parsed {
  const token = tokens[start] ?? '';
  if (token === '(') {
    const inner = operation(tokens, start + 1, 0, names);
    return tokens[inner.next] === ')'
      ? { value: inner.value, next: inner.next + 1 }
      : { value: undefined, next: inner.next };
  }
  if (/^\d[\d_.]*$/.test(token)) {
    return { value: Number(token.replaceAll('_', '')), next: start + 1 };
  }
  const expression = /^\w+$/.test(token) ? names(token) : undefined;
  return {
    value: expression === undefined ? undefined : evaluate(expression, names),
    next: start + 1,
  };
}
