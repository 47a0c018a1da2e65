/** A timestamp in AWS's format: `2019-08-14T22:26:11.234+0000`. */
export function lambdaTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '+0000');
}
