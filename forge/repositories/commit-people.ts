import Type, { type Static } from 'typebox';

import { serverSignature, signatureOf } from '../accounts/signature.ts';
import { invalid } from '../errors/api-error.ts';
import type { Signature } from '../git/git.ts';
import { notSupplied } from '../http/json-body.ts';
import { nullable } from '../http/schemas.ts';
import type { Account } from '../model/account.ts';

/** The time of a request, and the UTC offset of its git dates (http/time-zone.ts). */
export interface SigningTime {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly zoneOffset: (at: number) => number;
}

/** An author, committer or tagger in a request's body. */
export const personSchema = Type.Optional(
  nullable(
    Type.Object({
      name: Type.Optional(Type.String()),
      email: Type.Optional(Type.String()),
      date: Type.Optional(nullable(Type.String())),
    }),
  ),
);

type Person = Static<typeof personSchema> | undefined;

/** The caller as author, committer or tagger, with the current time. */
export function signAs(account: Account, signingTime: SigningTime): Signature {
  return signatureOf(account, signingTime.now, signingTime.zoneOffset(signingTime.now));
}

/** The server as committer of another user's commit, with the current time. */
export function signAsServer({ now, zoneOffset }: SigningTime): Signature {
  return serverSignature(now, zoneOffset(now));
}

/** The signature in a body, or undefined if there is none; an incomplete one is refused. */
export function readPerson(
  person: Person,
  signingTime: SigningTime,
  property: PersonProperty,
): Signature | undefined {
  if (person === undefined || person === null) return undefined;
  const { name, email, date } = person;
  if (name === undefined || email === undefined) return refuseMissing(person, property);
  for (const [field, text] of [
    ['name', name],
    ['email', email],
  ] as const) {
    if (isWritable(text)) continue;
    refuseField(
      `${property}.${field}`,
      `${JSON.stringify(text)} contains no character that git allows in a name.`,
    );
  }
  return { name, email, ...readDate(date ?? undefined, signingTime, property) };
}

/** The property of the body with the person. */
type PersonProperty = 'author' | 'committer' | 'tagger';

/**
 * Author and committer of a commit that the server creates for a caller: the caller is the author and the server the
 * committer, unless the body names others.
 */
export function readPeople(
  body: { readonly author?: Person; readonly committer?: Person },
  account: Account,
  signingTime: SigningTime,
): { author: Signature; committer: Signature } {
  const committer = readPerson(body.committer, signingTime, 'committer');
  return {
    author:
      readPerson(body.author, signingTime, 'author') ?? committer ?? signAs(account, signingTime),
    committer: committer ?? signAsServer(signingTime),
  };
}

function readDate(
  date: string | undefined,
  { now, zoneOffset }: SigningTime,
  property: PersonProperty,
): Pick<Signature, 'seconds' | 'offsetMinutes'> {
  const inReach = (seconds: number, offsetMinutes: number): ReturnType<typeof readDate> =>
    // git cannot store times before the epoch.
    seconds < 0 ? refuseDate(date ?? '', property) : { seconds, offsetMinutes };
  if (date === undefined) {
    return { seconds: Math.floor(now / 1000), offsetMinutes: zoneOffset(now) };
  }
  const named = parseTimestamp(date);
  if (!named) return refuseDate(date, property);
  if (named.offsetMinutes !== undefined) return inReach(named.seconds, named.offsetMinutes);
  // A time without an offset is in the caller's time zone (docs/specification/forge.md 7.4).
  const guess = zoneOffset(named.seconds * 1000);
  const offsetMinutes = zoneOffset((named.seconds - guess * 60) * 1000);
  return inReach(named.seconds - offsetMinutes * 60, offsetMinutes);
}

/** Whether the text is nonempty after git removes the characters that a signature cannot contain. */
function isWritable(text: string): boolean {
  return /[^\s.,:;"\\'<>\p{Cc}]/u.test(text);
}

function refuseMissing(person: NonNullable<Person>, property: PersonProperty): never {
  const missing = (['email', 'name'] as const).filter((field) => person[field] === undefined);
  return invalid(
    ...missing.map((field) => ({
      resource,
      field: `${property}.${field}`,
      ...notSupplied(field),
    })),
  );
}

function refuseDate(date: string, property: PersonProperty): never {
  return refuseField(
    `${property}.date`,
    `${JSON.stringify(date)} is not a timestamp since 1970 in ISO 8601, such as 2020-12-31T23:59:59Z.`,
  );
}

const resource = 'Commit';

function refuseField(field: string, message: string): never {
  return invalid({ resource, field, code: 'invalid', message });
}

/** A timestamp in a request. */
interface NamedTimestamp {
  /** Seconds since the epoch. */
  readonly seconds: number;
  /** Minutes east of UTC; undefined if the timestamp has no offset, in which case `seconds` is computed as UTC. */
  readonly offsetMinutes: number | undefined;
}

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** Parses an ISO 8601 timestamp; undefined for anything else, including dates that do not exist. */
export function parseTimestamp(text: string): NamedTimestamp | undefined {
  const match = pattern.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // `Date` carries overflowing days and hours into the next unit, so the parsed fields must equal the written ones.
  const fields = [date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()];
  if (fields.join() !== [month, day, hour].join() || minute > 59 || second > 59) return undefined;
  const seconds = date.getTime() / 1000;
  const [sign, zoneHours, zoneMinutes] = [match[7], Number(match[8]), Number(match[9])];
  if (sign === undefined) {
    return { seconds, offsetMinutes: /z$/i.test(text.trim()) ? 0 : undefined };
  }
  if (zoneHours > 23 || zoneMinutes > 59) return undefined;
  const east = zoneHours * 60 + zoneMinutes;
  const offsetMinutes = sign === '-' && east > 0 ? -east : east;
  return { seconds: seconds - offsetMinutes * 60, offsetMinutes };
}
