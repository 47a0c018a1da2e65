import { incompleteSignature, invalidSignature } from './signature-refusals.ts';

export interface SigningTime {
  /** `YYYYMMDDTHHMMSSZ`, as the string to sign has it. */
  readonly text: string;
  readonly milliseconds: number;
}

/** How far the clocks of client and server may be apart. */
const skewMinutes = 5;

/** Reads a date header or parameter. Only the Date header may also be spelled as HTTP spells dates. */
export function readSigningTime(text: string, httpDateMay: boolean): SigningTime {
  const parts = basicFormat.exec(text);
  if (parts) {
    const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
    const milliseconds = Date.UTC(year, month - 1, day, hour, minute, second);
    // The 31st of February would silently be a day of March, and 25 o'clock one of tomorrow.
    const read = new Date(milliseconds);
    const sameDay = read.getUTCFullYear() === year && read.getUTCDate() === day;
    if (sameDay && hour < 24 && minute < 60 && second < 60) return { text, milliseconds };
  } else if (httpDateMay && httpFormat.test(text)) {
    const milliseconds = Date.parse(text);
    if (!Number.isNaN(milliseconds)) return { text: basicTime(milliseconds), milliseconds };
  }
  throw incompleteSignature(
    `Date must be in ISO-8601 'basic format'. Got '${text}'. See http://en.wikipedia.org/wiki/ISO_8601`,
  );
}

/** Refuses a request signed too long ago or in the future; a presigned one states its own validity. */
export function checkSigningTime(
  signed: SigningTime,
  now: number,
  validSeconds: number | undefined,
): void {
  const earliest = now - (validSeconds ?? skewMinutes * 60) * 1000;
  if (signed.milliseconds < earliest) {
    const valid = validSeconds === undefined ? `${skewMinutes} min.` : `${validSeconds} s.`;
    throw invalidSignature(
      `Signature expired: ${signed.text} is now earlier than ${basicTime(earliest)} (${basicTime(now)} - ${valid})`,
    );
  }
  const latest = now + skewMinutes * 60_000;
  if (signed.milliseconds > latest) {
    throw invalidSignature(
      `Signature not yet current: ${signed.text} is still later than ${basicTime(latest)} (${basicTime(now)} + ${skewMinutes} min.)`,
    );
  }
}

const basicFormat = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;
const httpFormat = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** As the string to sign has it. */
export function basicTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}
