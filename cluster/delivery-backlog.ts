/** `npm run cluster -- deliveries`: how fast nodes send a backlog of deliveries to webhooks, and what each of them costs. */
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from './client.ts';
import { startHookReceiver } from './hook-receiver.ts';
import { Installation } from './installation.ts';
import { createJournal } from './journal.ts';
import { untilFinished } from './operation-costs.ts';
import {
  idleSecondOf,
  type Used,
  usedBy,
  usedPerOperation,
  withoutIdle,
} from './processor-time.ts';

const backlog = 2000;
const webhooks = 20;
const path = '/repos/root/backlog';

/** With one node, then with more. */
export async function measureDeliveries(most: number): Promise<void> {
  print([
    'nodes',
    'deliveries/s',
    'API ms',
    'PostgreSQL ms',
    'retries',
    'transactions',
    'requests',
  ]);
  for (let nodes = 1; nodes <= most; nodes += 1) {
    const { perSecond, used, transactions, requests } = await measureBacklog(nodes, most);
    print([
      String(nodes),
      perSecond.toFixed(0),
      used.api.toFixed(2),
      used.postgres.toFixed(2),
      used.retries.toFixed(3),
      transactions.toFixed(2),
      String(requests),
    ]);
  }
}

interface Backlog {
  readonly perSecond: number;
  readonly used: Used;
  /** Of PostgreSQL for each delivery, with those that only read. */
  readonly transactions: number;
  /** That arrived. */
  readonly requests: number;
}

async function measureBacklog(nodes: number, most: number): Promise<Backlog> {
  const installation = await Installation.start({ nodes });
  const receiver = await startHookReceiver();
  const { login, token } = installation.firstNode.server;
  const { url } = installation;
  const client = new Client({ url, login, token, journal: createJournal(), excused: [] });
  try {
    await client.ask('POST', '/user/repos', { name: 'backlog' }, [201]);
    await client.ask('POST', `${path}/issues`, { title: 'comments' }, [201]);
    for (let serial = 0; serial < webhooks; serial += 1) {
      const config = { url: `${receiver.url}${serial}`, content_type: 'json' };
      await client.ask('POST', `${path}/hooks`, { config, events: ['issue_comment'] }, [201]);
    }
    await client.ask('POST', `${path}/issues/1/comments`, { body: 'delivered' }, [201]);
    await untilFinished(installation);
    // Each node has compiled what sends them, and as many are stored with any number of nodes.
    for (let node = 1; node <= most; node += 1) {
      await repeatDeliveries(installation, backlog);
      await untilFinished(installation);
    }
    // As the database does by itself within a minute: else it plans for tables as small as they were at first.
    await installation.query('vacuum analyze');
    const idle = await idleSecondOf(installation);
    const { length: received } = receiver.deliveries;
    const before = usedBy(installation);
    const committed = await transactionsOf(installation);
    const started = performance.now();
    await repeatDeliveries(installation, backlog);
    while (receiver.deliveries.length < received + backlog) await delay(5);
    const seconds = (performance.now() - started) / 1000;
    await untilFinished(installation);
    const spent = (performance.now() - started) / 1000;
    const used = usedPerOperation(before, usedBy(installation), backlog);
    return {
      perSecond: backlog / seconds,
      transactions: ((await transactionsOf(installation)) - committed) / backlog,
      used: withoutIdle(used, idle, spent / backlog),
      requests: receiver.deliveries.length - received,
    };
  } finally {
    client.close();
    receiver.close();
    await installation.remove();
  }
}

/** Inserts the deliveries of the comment again, as if many comments had been written at once; their content is still to be built. */
async function repeatDeliveries(installation: Installation, count: number): Promise<void> {
  await installation.query(
    `insert into webhook_deliveries (webhook_id, event, action, facts, due_at, created_at)
        select webhook_id, event, action, facts, created_at, created_at
        from (select * from webhook_deliveries where event = 'issue_comment' order by id limit ${webhooks}) d
          cross join generate_series(1, ${count / webhooks})`,
  );
}

async function transactionsOf(installation: Installation): Promise<number> {
  const [row] = await installation.query<{ count: number }>(
    'select xact_commit::int as count from pg_stat_database where datname = current_database()',
  );
  return row?.count ?? 0;
}

function print(columns: readonly string[]): void {
  process.stdout.write(`${columns.map((text) => text.padStart(14)).join('')}\n`);
}
