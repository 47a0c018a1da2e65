import { layersMax } from '#functions-contract/limits.ts';
import type { updateFunctionConfiguration } from '#functions-contract/operations/update-function-configuration.ts';
import { newerRuntimes, supportedRuntimes } from '#functions-contract/runtimes.ts';
import type { StructureOf } from '#functions-contract/shape.ts';
import { selectField, textField } from '#web/fields.ts';
import { html, type Html } from '#web/html.ts';

import { invalidParameter } from '../../errors/functions-error.ts';
import type { FunctionConfiguration } from './function-head.ts';

export type SettingsInput = Omit<
  StructureOf<(typeof updateFunctionConfiguration)['input']>,
  'FunctionName'
>;

/** A setting as a field of a form, and as a member of the operation. */
export interface SettingField {
  readonly name: string;
  readonly label: string;
  /** Container images have their own. */
  readonly zipOnly?: true;
  read(configuration: FunctionConfiguration): string;
  field(value: string): Html;
  write(text: string): SettingsInput;
}

/** The settings of the form, in the order of the console of AWS Lambda; variables are apart (variables.ts). */
export const settings: readonly SettingField[] = [
  setting('Description', 'Description', {
    read: ({ Description = '' }) => Description,
    field: (value) => textField({ label: 'Description', name: 'Description', value }),
    write: (Description) => ({ Description }),
  }),
  setting('Runtime', 'Runtime', {
    zipOnly: true,
    read: ({ Runtime = '' }) => Runtime,
    field: (value) =>
      selectField({ label: 'Runtime', name: 'Runtime', value, options: runtimeChoices(value) }),
    write: (Runtime) => ({ Runtime }),
  }),
  setting('Handler', 'Handler', {
    zipOnly: true,
    read: ({ Handler = '' }) => Handler,
    field: (value) => textField({ label: 'Handler', name: 'Handler', value }),
    write: (Handler) => ({ Handler }),
  }),
  number('MemorySize', 'Memory (MB)', 'CPU time increases with memory.', {
    read: ({ MemorySize }) => MemorySize,
    write: (MemorySize) => ({ MemorySize }),
  }),
  number('Timeout', 'Timeout (seconds)', 'Longest duration of an invocation.', {
    read: ({ Timeout }) => Timeout,
    write: (Timeout) => ({ Timeout }),
  }),
  number('EphemeralStorage', 'Ephemeral storage (MB)', 'Size of /tmp, at least 512 MB.', {
    read: ({ EphemeralStorage }) => EphemeralStorage?.Size,
    write: (Size) => ({ EphemeralStorage: { Size } }),
  }),
  setting('Role', 'Execution role', {
    read: ({ Role = '' }) => Role,
    field: (value) => textField({ label: 'Execution role', name: 'Role', value }),
    write: (Role) => ({ Role }),
  }),
  setting('Layers', 'Layers', {
    zipOnly: true,
    read: ({ Layers = [] }) => Layers.map(({ Arn = '' }) => Arn).join('\n'),
    field: layersField,
    write: (text) => ({ Layers: text.split('\n').filter((line) => line !== '') }),
  }),
  setting('LogFormat', 'Log format', {
    read: ({ LoggingConfig }) => LoggingConfig?.LogFormat ?? 'Text',
    field: (value) =>
      selectField({ label: 'Log format', name: 'LogFormat', value, options: ['Text', 'JSON'] }),
    write: (text) => ({ LoggingConfig: { LogFormat: text === 'JSON' ? 'JSON' : 'Text' } }),
  }),
];

/** The list of layer versions that fields of layers offer; the page has it (layer-choices.ts). */
export const layerChoicesId = 'layer-versions';

/** A field for each layer that a function can have. */
function layersField(value: string): Html {
  const arns = value.split('\n').filter((arn) => arn !== '');
  const count = Math.max(layersMax, arns.length);
  return html`<fieldset>
    <legend>Layers</legend>
    <p class="soft">
      ARNs of layer versions, applied in this order. To remove one, clear its field.
    </p>
    ${Array.from(
      { length: count },
      (_none, index) =>
        html`<input
          type="text"
          name="Layers"
          value="${arns[index] ?? ''}"
          list="${layerChoicesId}"
          aria-label="Layer ${index + 1}"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
        />`,
    )}
  </fieldset>`;
}

/** Those that a function of this package type has. */
export function settingsOf({ PackageType }: FunctionConfiguration): readonly SettingField[] {
  return settings.filter(({ zipOnly }) => PackageType !== 'Image' || zipOnly !== true);
}

/** The runtimes that new functions can have, and the present one. */
export function runtimeChoices(present: string): readonly string[] {
  const choices = new Set([...supportedRuntimes, ...newerRuntimes]);
  if (present !== '') choices.add(present);
  return [...choices].toSorted();
}

function setting(
  name: string,
  label: string,
  rest: Omit<SettingField, 'name' | 'label'>,
): SettingField {
  return { name, label, ...rest };
}

function number(
  name: string,
  label: string,
  hint: string,
  {
    read,
    write,
  }: {
    readonly read: (configuration: FunctionConfiguration) => number | undefined;
    readonly write: (value: number) => SettingsInput;
  },
): SettingField {
  return {
    name,
    label,
    read: (configuration) => String(read(configuration) ?? ''),
    field: (value) => textField({ label, name, value, hint, type: 'number' }),
    write: (text) => write(readWholeNumber(text, label)),
  };
}

/** A number in a field of a form. */
export function readWholeNumber(text: string, label: string): number {
  if (!/^\d{1,15}$/.test(text.trim())) throw invalidParameter(`${label} must be a whole number.`);
  return Number(text);
}
