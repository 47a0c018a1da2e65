import { withDefaults } from '#functions-contract/defaults.ts';
import {
  createEventSourceMapping,
  type getEventSourceMapping,
} from '#functions-contract/operations/event-source-mappings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { textArea, textField } from '#web/fields.ts';
import { checkbox } from '#web/form.ts';
import { html, type Html } from '#web/html.ts';
import type { PageForm, RefusedForm } from '#web/page-form.ts';

import type { LockedValue } from './changed-meanwhile.ts';
import { readWholeNumber } from './settings.ts';
import { withLineFeeds } from './variables.ts';

export type Mapping = StructureOf<(typeof getEventSourceMapping)['output']>;

/** Fields for filters, used or not: the most that a mapping has. */
const filterFields = 5;

const reports = 'ReportBatchItemFailures';

/** What an update sets, as the fields of its form. */
export function lockedSettings(mapping: Mapping): readonly LockedValue[] {
  const { BatchSize, MaximumBatchingWindowInSeconds, FunctionArn = '' } = mapping;
  const concurrency = mapping.ScalingConfig?.MaximumConcurrency;
  return [
    { name: 'function', label: 'Function', value: FunctionArn },
    { name: 'batch', label: 'Batch size', value: textOf(BatchSize) },
    {
      name: 'window',
      label: 'Batching window (seconds)',
      value: textOf(MaximumBatchingWindowInSeconds),
    },
    { name: 'concurrency', label: 'Maximum concurrency', value: textOf(concurrency) },
    { name: 'filters', label: 'Filters', value: filtersOf(mapping).join(' ') },
    { name: 'reported', label: reports, value: reportsFailures(mapping) ? 'on' : 'off' },
  ];
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

export function filtersOf({ FilterCriteria }: Mapping): readonly string[] {
  return (FilterCriteria?.Filters ?? []).map(({ Pattern = '' }) => Pattern);
}

export function reportsFailures({ FunctionResponseTypes = [] }: Mapping): boolean {
  return FunctionResponseTypes.length > 0;
}

/** The settings of a mapping; without one, those of a new one. */
export function mappingFields(
  form: PageForm,
  refused: RefusedForm | undefined,
  mapping: Mapping = withDefaults(createEventSourceMapping.input, {}),
): Html {
  const present = new Map(lockedSettings(mapping).map(({ name, value }) => [name, value]));
  const filters = refused?.fields.getAll('filter') ?? filtersOf(mapping);
  const number = (label: string, name: string, hint: string): Html =>
    textField({ label, name, value: form.value(name, present.get(name)), type: 'number', hint });
  return html`${number('Batch size', 'batch', 'The most messages of an invocation, 1 to 10,000; more than 10 need a batching window.')}
    ${number('Batching window (seconds)', 'window', 'How long to wait for a full batch, 0 to 300.')}
    ${number('Maximum concurrency', 'concurrency', 'The most invocations at once, 2 to 1000. Empty for no limit of its own.')}
    ${checkbox(
      'report',
      'yes',
      form.checked('report', 'yes', reportsFailures(mapping)),
      'The response of the function names the messages that failed (ReportBatchItemFailures)',
    )}
    <fieldset>
      <legend>Filters</legend>
      <p class="soft">
        A message must match one of these patterns, each a JSON object; others are deleted from the
        queue. Without any, every message invokes the function.
      </p>
      ${Array.from({ length: filterFields }, (_none, index) =>
        textArea({
          label: `Pattern ${index + 1}`,
          name: 'filter',
          value: filters[index] ?? '',
          rows: 1,
        }),
      )}
    </fieldset>`;
}

/** The members that a create and an update have. What is empty is removed. */
export function mappingInput(form: URLSearchParams): {
  readonly BatchSize: number;
  readonly MaximumBatchingWindowInSeconds: number;
  readonly FunctionResponseTypes: readonly 'ReportBatchItemFailures'[];
  readonly FilterCriteria: { readonly Filters: readonly { readonly Pattern: string }[] };
  readonly ScalingConfig: { readonly MaximumConcurrency?: number };
} {
  const concurrency = (form.get('concurrency') ?? '').trim();
  return {
    BatchSize: readWholeNumber(form.get('batch') ?? '', 'Batch size'),
    MaximumBatchingWindowInSeconds: readWholeNumber(form.get('window') ?? '', 'Batching window'),
    FunctionResponseTypes: form.get('report') === 'yes' ? [reports] : [],
    FilterCriteria: {
      Filters: form
        .getAll('filter')
        .map((text) => withLineFeeds(text).trim())
        .filter((text) => text !== '')
        .map((Pattern) => ({ Pattern })),
    },
    ScalingConfig:
      concurrency === ''
        ? {}
        : { MaximumConcurrency: readWholeNumber(concurrency, 'Maximum concurrency') },
  };
}
