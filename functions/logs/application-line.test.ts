import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { applicationLine, passesSystem } from './application-line.ts';

const now = Date.UTC(2026, 0, 2, 12);
const timestamp = '2026-01-02T11:00:00.5Z';
const record = (level: unknown, key = 'level'): string =>
  JSON.stringify({ timestamp, [key]: level });

describe('a line of a function in a JSON log', () => {
  test('counts as INFO when it is text', () => {
    for (const line of ['plain', '{not JSON', '']) {
      assert.equal(applicationLine(line, 'INFO', now), line);
      assert.equal(applicationLine(line, 'TRACE', now), line);
      assert.equal(applicationLine(line, 'WARN', now), undefined);
    }
  });

  test('is stored as it is from its level on', () => {
    const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
    for (const [severity, level] of levels.entries()) {
      for (const [least, selected] of levels.entries()) {
        const stored = applicationLine(record(level), selected, now);
        assert.equal(stored, severity < least ? undefined : record(level), `${level} ${selected}`);
      }
    }
  });

  test('names its level in any case, under either key', () => {
    assert.equal(applicationLine(record('debug'), 'INFO', now), undefined);
    assert.equal(
      applicationLine(record('Error', 'log_level'), 'WARN', now),
      record('Error', 'log_level'),
    );
    assert.equal(applicationLine(record('ERROR', 'LEVEL'), 'WARN', now), record('ERROR', 'LEVEL'));
  });

  test('may name its level as Python and .NET do', () => {
    for (const warning of [record('WARNING'), record('Warning')]) {
      assert.equal(applicationLine(warning, 'WARN', now), warning);
      assert.equal(applicationLine(warning, 'ERROR', now), undefined);
    }
    for (const critical of [record('CRITICAL'), record('Critical', 'log_level')]) {
      assert.equal(applicationLine(critical, 'FATAL', now), critical);
    }
  });

  test('counts as INFO with an unknown level', () => {
    for (const level of ['LOUD', 7, null]) {
      assert.equal(applicationLine(record(level), 'INFO', now), record(level));
      assert.equal(applicationLine(record(level), 'WARN', now), undefined);
    }
  });

  test('is stored as it is when it is nested too deeply to be written again', () => {
    const line = `{"1":2,"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    assert.equal(applicationLine(line, 'INFO', now), line);
    assert.equal(applicationLine(line, 'WARN', now), undefined);
  });

  test('gets a time and a level when its own time is invalid', () => {
    for (const wrong of [undefined, '', 'yesterday', '2026-01-02', '2026-13-02T11:00:00Z', 7]) {
      const line = JSON.stringify({ timestamp: wrong, level: 'ERROR', message: 'm' });
      assert.deepEqual(JSON.parse(applicationLine(line, 'INFO', now) ?? ''), {
        timestamp: '2026-01-02T12:00:00.000Z',
        level: 'INFO',
        message: 'm',
      });
      assert.equal(applicationLine(line, 'WARN', now), undefined);
    }
  });
});

test('a record of the platform passes from the selected level on', () => {
  assert.ok(passesSystem('INFO', 'INFO'));
  assert.ok(passesSystem('WARN', 'DEBUG'));
  assert.ok(!passesSystem('DEBUG', 'INFO'));
});
