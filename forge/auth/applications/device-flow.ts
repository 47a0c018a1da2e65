import { clientOf } from '#platform/client-address.ts';
import type { Sql } from '#platform/database/database.ts';

import { isSuspended } from '../../accounts/account-store.ts';
import { type Application, readScopes } from '../../model/application.ts';
import { type Scope, widest } from '../../model/scopes.ts';
import type { Ports } from '../../ports/ports.ts';
import { deleteOlderTokens, insertToken } from '../credential-store.ts';
import { createFailureWatch, windowMilliseconds } from '../lockout.ts';
import { makeToken, sha256 } from '../token.ts';
import { applicationByClientId, findGrant, putGrant } from './application-store.ts';
import type { FlowError } from './authorize-input.ts';
import {
  answerDeviceCode,
  countOpenDeviceCodes,
  deleteDeviceCode,
  deleteDeviceCodes,
  type DeviceCode,
  deviceCodeForProgram,
  insertDeviceCode,
  openDeviceCode,
  slowDown,
} from './device-code-store.ts';
import { type ExchangeResult, tokensMax } from './exchange-code.ts';

/** Validity of a device code, as on GitHub. */
export const deviceCodeSeconds = 900;
/** Interval at which a program may ask for the token of a device code. */
export const intervalSeconds = 5;
/** Time that is added to the interval of a program that asks sooner (RFC 8628, 3.5). */
const slowerSeconds = 5;
/** Open device codes of an application at a time, so that anonymous requests fill no table. */
const openCodesMax = 1000;
/** Device codes that a client address gets in ten minutes, so that none uses up those of an application. */
const codesOfAddressMax = 50;
/** Client addresses whose device codes are counted. */
const addressesMax = 10_000;

/** Without vowels, so that no words come up, and without what looks alike (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

type FlowPorts = Pick<Ports, 'clock' | 'database' | 'randomBytes'>;

export type DeviceCodeResult =
  | { readonly kind: 'code'; readonly deviceCode: string; readonly userCode: string }
  | { readonly kind: 'unknown-application' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'too-many' };

/**
 * Whether a client address may have one more code, which counts. In memory, where a restart resets it, and on all nodes of a cluster
 * together while their counters can be reached.
 */
export type DeviceCodeLimit = (remoteAddress: string) => Promise<boolean>;

export function createDeviceCodeLimit({
  clock,
  counters,
}: Pick<Ports, 'clock' | 'counters'>): DeviceCodeLimit {
  const asked = createFailureWatch(codesOfAddressMax, addressesMax);
  return async (remoteAddress) => {
    const address = clientOf(remoteAddress);
    if (asked.left(address, clock.now()) === 0) return false;
    asked.fail(address, clock.now());
    const counted = await counters?.add(`device codes ${address}`, 1, windowMilliseconds);
    if (counted === undefined || counted.sum <= codesOfAddressMax) return true;
    asked.lock(address, clock.now());
    return false;
  };
}

/** The code for the program and the one for its user. */
export async function createDeviceCode(
  ports: FlowPorts,
  input: { readonly clientId: string; readonly scope: string },
): Promise<DeviceCodeResult> {
  const { clock, database } = ports;
  const deviceCode = Buffer.from(ports.randomBytes(20)).toString('hex');
  const userCode = makeUserCode(ports);
  const now = clock.now();
  const milliseconds = deviceCodeSeconds * 1000;
  return database.write(async (sql) => {
    const application = await applicationByClientId(sql, input.clientId);
    if (!application) return { kind: 'unknown-application' };
    // Client ids are public, so that anyone could ask in the name of a web application, without its secret and redirect URI.
    if (application.callbackUrl !== null) return { kind: 'disabled' };
    await deleteDeviceCodes(sql, now - milliseconds);
    const open = await countOpenDeviceCodes(sql, application.id, now);
    if (open >= openCodesMax) return { kind: 'too-many' };
    const code = {
      sha256: sha256(deviceCode),
      userCode,
      applicationId: application.id,
      scopes: readScopes(input.scope),
      intervalSeconds,
      expiresAt: now + milliseconds,
    };
    await insertDeviceCode(sql, code);
    return { kind: 'code', deviceCode, userCode };
  });
}

/** `WDJB-MJHT`. Bytes that would make some letters likelier are passed over. */
function makeUserCode(ports: Pick<Ports, 'randomBytes'>): string {
  let code = '';
  const fair = 256 - (256 % letters.length);
  while (code.length < 8) {
    for (const byte of ports.randomBytes(16)) {
      if (byte < fair && code.length < 8) code += letters.charAt(byte % letters.length);
    }
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** What a user has typed, in the form of a code: case, spaces and the hyphen do not count. */
export function readUserCode(text: string): string {
  const typed = text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return `${typed.slice(0, 4)}-${typed.slice(4)}`;
}

/** What a code of a user stands for; undefined where it is none, has expired or was answered. */
export function findDeviceRequest(
  { clock, database }: FlowPorts,
  userCode: string,
): Promise<{ code: DeviceCode; application: Application } | undefined> {
  return database.read((sql) => openDeviceCode(sql, userCode, clock.now()));
}

/** Stores the answer of the user, and the grant. false where the code is no longer open. */
export function answerDeviceRequest(
  { clock, database }: FlowPorts,
  accountId: number,
  userCode: string,
  allowed: boolean,
): Promise<boolean> {
  const now = clock.now();
  return database.write(async (sql) => {
    const found = await openDeviceCode(sql, userCode, now);
    if (!found) return false;
    const { sha256: key, applicationId, scopes } = found.code;
    if (allowed) await widenGrant(sql, { accountId, applicationId, scopes, now });
    return answerDeviceCode(sql, { sha256: key, accountId, refused: !allowed, now });
  });
}

async function widenGrant(
  sql: Sql,
  asked: { accountId: number; applicationId: number; scopes: readonly Scope[]; now: number },
): Promise<void> {
  const grant = await findGrant(sql, asked.accountId, asked.applicationId);
  const scopes = widest([...(grant?.scopes ?? []), ...asked.scopes]).toSorted();
  await putGrant(sql, { ...asked, scopes });
}

/** The token of a program whose user has allowed it, once. A program needs no secret for it. */
export async function exchangeDeviceCode(
  ports: FlowPorts,
  request: { readonly clientId: string; readonly deviceCode: string },
): Promise<ExchangeResult> {
  const token = makeToken(ports.randomBytes(32));
  const now = ports.clock.now();
  return ports.database.write(async (sql) => {
    const application = await applicationByClientId(sql, request.clientId);
    if (!application) return refused('incorrect_client_credentials');
    const applicationId = application.id;
    const asked = { sha256: sha256(request.deviceCode), applicationId, now };
    const code = await deviceCodeForProgram(sql, asked);
    if (!code) return refused('incorrect_device_code');
    if (code.expiresAt <= now) return refused('expired_token');
    if (isTooSoon(code, now)) {
      await slowDown(sql, code.sha256, slowerSeconds);
      return refused('slow_down');
    }
    const { accountId, scopes } = code;
    if (accountId === null) return refused('authorization_pending');
    if (!(await deleteDeviceCode(sql, code.sha256))) return refused('incorrect_device_code');
    // The user may have revoked the application since, or be suspended.
    const granted = await findGrant(sql, accountId, applicationId);
    if (code.refused || !granted || (await isSuspended(sql, accountId))) {
      return refused('access_denied');
    }
    const stored = { sha256: sha256(token), lastEight: token.slice(-8), note: null };
    await insertToken(sql, { ...stored, accountId, scopes, applicationId, now });
    await deleteOlderTokens(sql, { accountId, applicationId, scopes }, tokensMax);
    return { kind: 'token', token, scopes };
  });
}

/** Clocks and networks are not exact: a second less is not too soon. */
function isTooSoon({ askedAt, intervalSeconds: interval }: DeviceCode, now: number): boolean {
  return askedAt !== null && now - askedAt < (interval - 1) * 1000;
}

function refused(error: FlowError): ExchangeResult {
  return { kind: 'refused', error };
}
