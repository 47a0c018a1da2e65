/**
 * IAM's `ArnLike`: each of the six parts is compared for itself, `*` stands for any characters of a part, `?` for one.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
 */
export function isArnLike(arn: string, pattern: string): boolean {
  const parts = partsOf(arn);
  const patterns = partsOf(pattern);
  return (
    parts.length === patterns.length &&
    parts.every((part, index) => matches(part, patterns[index] ?? ''))
  );
}

/** The last part, the resource, contains the other colons. */
function partsOf(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), ...(parts.length > 5 ? [parts.slice(5).join(':')] : [])];
}

/** Takes at most the product of both lengths, where a regular expression could take exponential time. */
function matches(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let afterStar = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next;
      afterStar = at;
      next += 1;
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === text[at])) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      // The last star takes one character more.
      afterStar += 1;
      at = afterStar;
      next = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[next] === '*') next += 1;
  return next === pattern.length;
}
