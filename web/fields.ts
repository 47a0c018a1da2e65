import { html, type Html } from './html.ts';

/** A field of a form within its label, which therefore needs no id. */
export interface Field {
  readonly label: string | Html;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

/** Without `prose`, the text is a name or a value: browsers neither correct it nor begin it with a capital letter. */
interface TextField extends Field {
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly prose?: boolean;
}

export function textField(
  field: TextField & {
    readonly type?: 'text' | 'number' | 'password' | 'email' | 'date' | 'color' | 'url';
    readonly autocomplete?: string;
  },
): Html {
  const { name, value = '', type = 'text', autocomplete = 'off' } = field;
  // Browsers correct no other input.
  const isText = type === 'text' || type === 'number';
  return labelled(
    field,
    html`<input
      type="${type === 'number' ? 'text' : type}"
      name="${name}"
      ${type === 'password' ? '' : html`value="${value}"`}
      ${type === 'number' ? html`inputmode="decimal"` : ''}
      autocomplete="${autocomplete}"
      ${textAttributes({ ...field, prose: field.prose ?? !isText })}
    />`,
  );
}

export function textArea(field: TextField & { readonly rows?: number }): Html {
  const { name, value = '', rows = 4 } = field;
  return labelled(
    field,
    areaOf(value, html`name="${name}" rows="${rows}" ${textAttributes(field)}`),
  );
}

function textAttributes({ required = false, maxLength, prose = false }: TextField): Html {
  return html`${required ? html`required` : ''}
  ${maxLength === undefined ? '' : html`maxlength="${maxLength}"`}
  ${prose ? '' : html`autocapitalize="none" spellcheck="false"`}`;
}

/** The control alone, for those that have their label in an attribute. */
export function areaOf(value: string, attributes: Html): Html {
  // The parser of HTML drops the first line break of a text area.
  const text = `\n${value}`;
  return html`<textarea ${attributes}>${text}</textarea>`;
}

export function fileField(field: Omit<Field, 'value'> & { readonly accept: string }): Html {
  return labelled(field, html`<input type="file" name="${field.name}" accept="${field.accept}" />`);
}

export function selectField(
  field: Field & {
    readonly options: readonly (string | { readonly value: string; readonly label: string })[];
  },
): Html {
  const { name, value, options } = field;
  return labelled(
    field,
    html`<select name="${name}">
      ${options.map((option) => {
        const { value: own, label } =
          typeof option === 'string' ? { value: option, label: option } : option;
        return html`<option value="${own}" ${own === value ? html`selected` : ''}>
          ${label}
        </option>`;
      })}
    </select>`,
  );
}

/** A button that changes something. Its name says what it is about where several say the same. */
export function button(label: string, kind: 'primary' | 'danger' | '' = '', about = ''): Html {
  return html`<button
    class="${kind}"
    type="submit"
    ${about === '' ? '' : html`aria-label="${label} ${about}"`}
  >
    ${label}
  </button>`;
}

function labelled({ label, hint }: Field, control: Html): Html {
  return html`<label class="field"
    ><span>${label}</span> ${control}
    ${hint === undefined ? '' : html`<small class="soft">${hint}</small>`}</label
  >`;
}
