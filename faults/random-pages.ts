/** Random requests to the pages of both services and their forms. */
import * as fc from 'fast-check';

import { pages as consolePages } from '#functions/web/page-table.ts';
import { formRoutes, routes as pageRoutes } from '#forge/web/page-table.ts';

import { endpoints } from '../forge/routes.ts';
import { hostileQuery, hostileSegment, nastyText } from '../forge/testing/hostile-values.ts';
import { filledPath, mostly, type Route, seldom, someHeaders, withQuery } from './random-route.ts';

export function pagesAndForms(): readonly Route[] {
  return [...allPages().map(toPage), ...allForms().map(toForm)];
}

/** A page of either service, signed in or not. */
function toPage(path: string): Route {
  return (targets) =>
    fc
      .record({
        path: filledPath(path, targets),
        query: hostileQuery,
        headers: someHeaders,
        signedIn: mostly,
      })
      .map(({ path: chosen, query, headers, signedIn }) => ({
        name: `page ${path.replaceAll(/\(.*?\$\)/g, '')}`,
        method: 'GET',
        target: withQuery(chosen, query),
        headers: { ...browserHeaders, ...headers, ...(signedIn ? { cookie: targets.cookie } : {}) },
        body: undefined,
      }));
}

/** A form of a page, as it stands there or with fields that it does not have. */
function toForm({ path, acts, fields }: FormTarget): Route {
  return (targets) => {
    const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...fields) }, nastyText);
    const value = fc.oneof(nastyText, fc.constantFrom('1', '2', 'main', 'topic', 'yes', 'work'));
    return fc
      .record({
        path: filledPath(path, targets),
        act: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...acts) }, hostileSegment),
        fields: fc.array(fc.tuple(name, value), { maxLength: 6 }),
        headers: someHeaders,
        signedIn: mostly,
        bytes: seldom(fc.uint8Array({ maxLength: 200 })),
      })
      .map(({ path: chosen, act, fields: given, headers, signedIn, bytes }) => {
        const token: [string, string][] = signedIn ? [['form_token', targets.formToken]] : [];
        const form = new URLSearchParams([...token, ...given]).toString();
        return {
          name: `form ${path.replaceAll(/\(.*?\$\)/g, '')}`,
          method: 'POST',
          target: chosen.replace('ACT', () => act),
          headers: {
            ...browserHeaders,
            'content-type': 'application/x-www-form-urlencoded',
            ...headers,
            ...(signedIn ? { cookie: targets.cookie } : {}),
          },
          body: bytes ? Buffer.from(bytes) : form,
        };
      });
  };
}

interface FormTarget {
  /** `ACT` stands for what the form does. */
  readonly path: string;
  readonly acts: readonly string[];
  readonly fields: readonly string[];
}

function allPages(): string[] {
  const ofForge = pageRoutes(endpoints).map(([path]) => path);
  const ofConsole = consolePages.flatMap(({ path, events }) =>
    events ? [path, `${path}/events`] : [path],
  );
  return [...ofForge, ...ofConsole];
}

function allForms(): FormTarget[] {
  const unused = (): never => {
    throw new Error('Only the paths of the forms are asked for.');
  };
  const perform = Object.assign(unused, { countCreation: unused });
  const ofForge = formRoutes({ signIn: unused, signInWithCode: unused }, perform, {
    attempt: unused,
  }).map(([path]): FormTarget => ({
    path: path.replace(/:act$/, 'ACT'),
    acts: [...formActs],
    fields: formFields,
  }));
  const ofConsole = consolePages.flatMap(({ path, acts = {} }) =>
    Object.keys(acts).map((act) => ({ path: `${path}/ACT`, acts: [act], fields: consoleFields })),
  );
  // It would end the session of all others.
  return [...ofForge.filter(({ path }) => path !== '/logout'), ...ofConsole];
}

/** What forms of the forge do. A path that has no such act answers 404. */
const formActs = ['create', 'update', 'delete', 'comment', 'edit', 'close', 'reopen', 'labels']
  .concat('assignees', 'milestone', 'lock', 'unlock', 'edit-text', 'delete-text', 'merge', 'viewed')
  .concat('draft', 'ready', 'review', 'discard-review', 'line-comment', 'reply', 'resolve')
  .concat('unresolve', 'reviewers', 'delete-branch', 'update-branch', 'enable-auto-merge')
  .concat('disable-auto-merge', 'invite', 'remove', 'cancel', 'general', 'visibility', 'archive')
  .concat('transfer', 'ping', 'redeliver', 'password', 'enable', 'disable', 'end-session');

const formFields = ['login', 'password', 'code', 'client_id', 'redirect_uri', 'state', 'scope']
  .concat('title', 'body', 'labels', 'assignees', 'milestone', 'target', 'text', 'base', 'head')
  .concat('name', 'color', 'description', 'due', 'branch', 'from', 'organization', 'key', 'write')
  .concat('url', 'content_type', 'events', 'active', 'secret', 'contexts', 'reviews', 'approvals')
  .concat('checks', 'strict', 'users', 'teams', 'restrict', 'merge_method', 'sha', 'view', 'event')
  .concat('commit_id', 'line', 'side', 'path', 'as', 'thread', 'username', 'permission', 'confirm')
  .concat('label', 'delivery', 'key_id', 'invitation', 'visibility', 'new_owner', 'session');

const consoleFields = ['name', 'description', 'version', 'qualifier', 'memory', 'timeout', 'event']
  .concat('runtime', 'handler', 'role', 'key', 'value', 'variables', 'code', 'file', 'reserved')
  .concat('weight', 'revision', 'auth', 'principal', 'action', 'source', 'retries', 'age', 'type');

const browserHeaders = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' };
