/** Of a file; more must be divided. */
export const linesMax = 300;
/** From so many on, a file is divided before more is added to it. */
const linesNearMax = 295;

/** Tables of data are as long as what they list. */
const dataFiles = ['forge/errors/error-responses.ts', 'functions/launcher/sandbox/system-calls.ts'];

/** The lines of a file; 0 where it may have any number. */
export function linesOf(path: string, text: string): number {
  const anyLength = dataFiles.includes(path) || /\.(?:test\.ts|sql)$/.test(path);
  return anyLength ? 0 : text.split('\n').length - 1;
}

export function isNearLinesMax(path: string, text: string): boolean {
  const lines = linesOf(path, text);
  return lines >= linesNearMax && lines <= linesMax;
}
