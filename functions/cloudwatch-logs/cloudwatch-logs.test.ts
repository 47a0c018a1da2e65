import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  GetLogEventsCommand,
  ListTagsForResourceCommand,
  paginateFilterLogEvents,
  StartLiveTailCommand,
  type FilterLogEventsCommandInput,
  type GetLogEventsCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';

import { createAccessKey } from '../access-keys/administer-access-keys.ts';
import { openLogStreams, type LogStreams } from '../logs/log-streams.ts';
import { testKey } from '../testing/test-credentials.ts';
import { createTestFunctions, type TestFunctions } from '../testing/test-functions.ts';
import { startLiveTail } from './start-live-tail.ts';

const logGroupName = '/aws/lambda/reported';
const arn = `arn:aws:logs:us-east-1:123456789012:log-group:${logGroupName}`;
const missing = { name: 'ResourceNotFoundException' };
const invalid = { name: 'InvalidParameterException' };

describe('CloudWatch Logs, by AWS’s client', () => {
  let functions: TestFunctions;
  let client: CloudWatchLogsClient;
  let streams: LogStreams;
  let endpoint: string;
  let now = 0;

  before(async () => {
    functions = await createTestFunctions({ settings: { allowUnsigned: false } });
    endpoint = await functions.listen();
    client = new CloudWatchLogsClient({
      endpoint,
      region: 'us-east-1',
      maxAttempts: 1,
      credentials: testKey,
      disableHostPrefix: true,
    });
    now = functions.clock.now() - 10_000;
    streams = openLogStreams({
      folder: functions.ports.logFolder,
      onError: (error) => assert.fail(String(error)),
    });
    const one = streams.open(logGroupName, '2026/01/02/[1]one');
    const two = streams.open(logGroupName, '2026/01/02/[2]two');
    one.append('first ERROR', now);
    two.append('second', now + 1);
    one.append('third', now + 1);
    one.append('{"level":"ERROR","message":"fourth"}', now + 2);
    two.append('fifth', now + 3);
    streams.open('/other', 'stream').append('other', now);
    streams.open(`/long/${'/'.repeat(400)}`, 'stream').append('long', now);
    await streams.flushed();
  });
  after(async () => {
    client.destroy();
    await streams.close();
    await functions.close();
  });

  const filter = async (input: FilterLogEventsCommandInput = {}) => {
    const { events = [], nextToken } = await client.send(
      new FilterLogEventsCommand({ logGroupName, ...input }),
    );
    return { messages: events.map(({ message }) => message?.trimEnd()), events, nextToken };
  };

  describe('FilterLogEvents', () => {
    it('refuses what is not there and what cannot be', async () => {
      const cases: [input: FilterLogEventsCommandInput, error: object][] = [
        [{ logGroupName: '/none' }, missing],
        [{ logGroupName: undefined, logGroupIdentifier: arn.replace('reported', 'none') }, missing],
        [{ logGroupName: undefined, logGroupIdentifier: arn.replace(logGroupName, '') }, missing],
        [{ logStreamNames: ['none'] }, missing],
        [{ logGroupIdentifier: logGroupName }, invalid],
        [{ logGroupName: undefined }, invalid],
        [{ logStreamNames: ['a'], logStreamNamePrefix: 'a' }, invalid],
        [{ nextToken: 'x' }, invalid],
        [{ limit: 0 }, invalid],
        [{ filterPattern: '[a, b]' }, invalid],
        [{ filterPattern: 'a:b' }, invalid],
      ];
      for (const [input, error] of cases) {
        await assert.rejects(filter(input), error, JSON.stringify(input));
      }
    });

    it('has the events of all streams in the order of time, each with an id of its own', async () => {
      const { messages, events, nextToken } = await filter();
      assert.deepEqual(messages, [
        'first ERROR',
        'third',
        'second',
        '{"level":"ERROR","message":"fourth"}',
        'fifth',
      ]);
      assert.equal(nextToken, undefined);
      assert.equal(new Set(events.map(({ eventId }) => eventId)).size, 5);
      assert.match(events[0]?.eventId ?? '', /^\d{56}$/);
      assert.deepEqual(
        { ...events[0], eventId: '' },
        {
          logStreamName: '2026/01/02/[1]one',
          timestamp: now,
          message: 'first ERROR\n',
          ingestionTime: now,
          eventId: '',
        },
      );
      const byArn = await filter({ logGroupName: undefined, logGroupIdentifier: arn });
      assert.deepEqual(byArn.events, events);
    });

    it('leaves out other times, streams and messages', async () => {
      const second = '2026/01/02/[2]two';
      const cases: [input: FilterLogEventsCommandInput, expected: string[]][] = [
        [{ startTime: now + 2 }, ['{"level":"ERROR","message":"fourth"}', 'fifth']],
        [{ endTime: now }, ['first ERROR']],
        [{ logStreamNames: [second] }, ['second', 'fifth']],
        [{ logStreamNamePrefix: '2026/01/02/[2]' }, ['second', 'fifth']],
        [{ filterPattern: 'ERROR -level' }, ['first ERROR']],
        [{ filterPattern: '?first ?fifth' }, ['first ERROR', 'fifth']],
        [{ filterPattern: '{ $.level = "ERROR" }' }, ['{"level":"ERROR","message":"fourth"}']],
        [{ filterPattern: 'nothing' }, []],
      ];
      for (const [input, expected] of cases) {
        const { messages } = await filter(input);
        assert.deepEqual(messages, expected, JSON.stringify(input));
      }
    });

    it('comes in pages, each event once with the same id, of the same question only', async () => {
      const whole = (await filter()).events.map(({ eventId }) => eventId);
      for (const limit of [1, 2, 3]) {
        const ids: (string | undefined)[] = [];
        const pages = paginateFilterLogEvents({ client, pageSize: limit }, { logGroupName });
        for await (const { events = [] } of pages) {
          assert.ok(events.length <= limit);
          ids.push(...events.map(({ eventId }) => eventId));
        }
        assert.deepEqual(ids, whole);
      }
      const { nextToken } = await filter({ limit: 1 });
      await assert.rejects(filter({ nextToken, filterPattern: 'other' }), invalid);
    });
  });

  describe('GetLogEvents', () => {
    const logStreamName = '2026/01/02/[1]one';
    const get = async (input: Partial<GetLogEventsCommandInput> = {}) => {
      const { events = [], ...tokens } = await client.send(
        new GetLogEventsCommand({ logGroupName, logStreamName, ...input }),
      );
      return { messages: events.map(({ message }) => message?.trimEnd().slice(0, 5)), ...tokens };
    };

    it('refuses what is not there and tokens that are none', async () => {
      await assert.rejects(get({ logStreamName: 'none' }), missing);
      await assert.rejects(get({ logGroupName: '/none' }), missing);
      for (const nextToken of ['x', 'f/x', 'b/']) await assert.rejects(get({ nextToken }), invalid);
    });

    it('begins at either end and goes on in both directions', async () => {
      assert.deepEqual((await get()).messages, ['first', 'third', '{"lev']);
      assert.deepEqual((await get({ limit: 2 })).messages, ['third', '{"lev']);
      const first = await get({ limit: 2, startFromHead: true });
      assert.deepEqual(first.messages, ['first', 'third']);
      const second = await get({ limit: 2, nextToken: first.nextForwardToken });
      assert.deepEqual(second.messages, ['{"lev']);
      const end = await get({ limit: 2, nextToken: second.nextForwardToken });
      assert.deepEqual(end.messages, []);
      assert.equal(end.nextForwardToken, second.nextForwardToken);
      const back = await get({ limit: 2, nextToken: second.nextBackwardToken });
      assert.deepEqual(back.messages, ['first', 'third']);
      const start = await get({ limit: 2, nextToken: back.nextBackwardToken });
      assert.deepEqual(start.messages, []);
      assert.equal(start.nextBackwardToken, back.nextBackwardToken);
    });

    it('leaves out other times; the end is not part of them', async () => {
      assert.deepEqual((await get({ startTime: now + 1, endTime: now + 2 })).messages, ['third']);
    });
  });

  it('DescribeLogGroups lists the groups that were written to, in pages', async () => {
    const names = async (input: object = {}) => {
      const answer = await client.send(new DescribeLogGroupsCommand(input));
      return {
        names: answer.logGroups?.map((group) => group.logGroupName),
        nextToken: answer.nextToken,
      };
    };
    const all = [logGroupName, `/long/${'/'.repeat(400)}`, '/other'];
    assert.deepEqual((await names()).names, all);
    const page = await names({ limit: 2 });
    assert.deepEqual(page.names, all.slice(0, 2));
    const rest = await names({ limit: 2, nextToken: page.nextToken });
    assert.deepEqual(rest, { names: all.slice(2), nextToken: undefined });
    for (const [input, expected] of [
      [{ logGroupNamePrefix: '/aws/' }, [logGroupName]],
      [{ logGroupNamePattern: 'the' }, ['/other']],
      [{ logGroupIdentifiers: [arn] }, [logGroupName]],
      [{ logGroupClass: 'DELIVERY' }, []],
      [{ accountIdentifiers: ['210987654321'] }, []],
    ] as const) {
      assert.deepEqual((await names(input)).names, expected);
    }
    await assert.rejects(names({ logGroupNamePrefix: 'a', logGroupNamePattern: 'a' }), invalid);
    const { logGroups } = await client.send(
      new DescribeLogGroupsCommand({ logGroupNamePrefix: logGroupName }),
    );
    assert.equal(logGroups?.[0]?.arn, `${arn}:*`);
    assert.equal(logGroups[0].logGroupArn, arn);
    assert.ok((logGroups[0].storedBytes ?? 0) > 0);
    const { tags } = await client.send(new ListTagsForResourceCommand({ resourceArn: arn }));
    assert.deepEqual(tags, {});
  });

  it('DescribeLogStreams lists the streams of a group, ordered as asked, in pages', async () => {
    const list = async (input: object = {}) =>
      client.send(new DescribeLogStreamsCommand({ logGroupName, ...input }));
    const [one, two] = (await list()).logStreams ?? [];
    assert.deepEqual(one, {
      logStreamName: '2026/01/02/[1]one',
      creationTime: now,
      firstEventTimestamp: now,
      lastEventTimestamp: now + 2,
      lastIngestionTime: now + 2,
      uploadSequenceToken: '0',
      arn: `${arn}:log-stream:2026/01/02/[1]one`,
      storedBytes: 0,
    });
    assert.equal(two?.lastEventTimestamp, now + 3);
    const page = await list({ descending: true, limit: 1 });
    assert.deepEqual(page.logStreams?.[0]?.logStreamName, '2026/01/02/[2]two');
    const rest = await list({ descending: true, limit: 1, nextToken: page.nextToken });
    assert.deepEqual(rest.logStreams?.[0]?.logStreamName, '2026/01/02/[1]one');
    assert.equal(rest.nextToken, undefined);
    const found = await list({ logStreamNamePrefix: '2026/01/02/[2]' });
    assert.equal(found.logStreams?.length, 1);
    assert.equal((await list({ orderBy: 'LastEventTime' })).logStreams?.length, 2);
    await assert.rejects(list({ orderBy: 'LastEventTime', logStreamNamePrefix: 'a' }), invalid);
    await assert.rejects(list({ logGroupName: '/none' }), missing);
  });

  it('StartLiveTail hands on what comes while it listens', async () => {
    await assert.rejects(
      client.send(new StartLiveTailCommand({ logGroupIdentifiers: ['/none'] })),
      missing,
    );
    const { responseStream } = await client.send(
      new StartLiveTailCommand({ logGroupIdentifiers: [arn], logEventFilterPattern: 'heard' }),
    );
    assert.ok(responseStream);
    const writer = streams.open(logGroupName, '2026/01/02/[3]live');
    for await (const { sessionStart, sessionUpdate } of responseStream) {
      if (sessionStart) {
        assert.deepEqual(sessionStart.logGroupIdentifiers, [arn]);
        writer.append('ignored', functions.clock.now());
        writer.append('heard', functions.clock.now());
        await streams.flushed();
      }
      const [result] = sessionUpdate?.sessionResults ?? [];
      if (!result) continue;
      assert.deepEqual(result, {
        logStreamName: '2026/01/02/[3]live',
        logGroupIdentifier: `123456789012:${logGroupName}`,
        message: 'heard\n',
        timestamp: functions.clock.now(),
        ingestionTime: functions.clock.now(),
      });
      break;
    }
    client.destroy();
  });

  it('StartLiveTail ends with the access key', async () => {
    const { database } = functions.ports;
    await database.write((sql) =>
      sql.run(
        `insert into accounts (id, kind, login, login_key, site_admin, created_at, updated_at)
         values (99, 'user', 'tailing', 'tailing', 0, 0, 0)`,
      ),
    );
    const { accessKeyId, secretAccessKey } = await createAccessKey(functions.ports, 99);
    const brief = new CloudWatchLogsClient({
      endpoint,
      region: 'us-east-1',
      maxAttempts: 1,
      credentials: { accessKeyId, secretAccessKey },
      disableHostPrefix: true,
    });
    const { responseStream } = await brief.send(
      new StartLiveTailCommand({ logGroupIdentifiers: [arn] }),
    );
    assert.ok(responseStream);
    await database.write((sql) =>
      sql.run('update accounts set suspended_at = 1 where login_key = $1', 'tailing'),
    );
    await assert.rejects(Array.fromAsync(responseStream), { name: 'SessionStreamingException' });
    brief.destroy();
  });

  it('StartLiveTail counts no session of a client that has left', async () => {
    const tail = startLiveTail(functions.ports);
    for (let count = 0; count < 20; count += 1) {
      await tail.handle(
        { logGroupIdentifiers: [arn] },
        {
          requestId: 'one',
          ended: AbortSignal.abort(),
          isStopping: () => false,
          mayGoOn: async () => true,
        },
      );
    }
  });
});
