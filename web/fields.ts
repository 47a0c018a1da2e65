import { html, type Html } from './html.ts';

/** A field of a form with its label, which needs no id. */
export interface Field {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

export function textField(
  field: Field & { readonly type?: 'text' | 'number'; readonly required?: boolean },
): Html {
  const { name, value = '', type = 'text', required = false } = field;
  return labelled(
    field,
    html`<input
      type="text"
      name="${name}"
      value="${value}"
      ${type === 'number' ? html`inputmode="decimal"` : ''}
      ${required ? html`required` : ''}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
    />`,
  );
}

export function textArea(field: Field & { readonly rows?: number }): Html {
  const { name, value = '', rows = 4 } = field;
  return labelled(field, areaOf(value, html`name="${name}" rows="${rows}"`));
}

/** The control alone, for those that have their label in an attribute. */
export function areaOf(value: string, attributes: Html): Html {
  // The parser of HTML drops the first line break of a text area.
  const text = `\n${value}`;
  return html`<textarea ${attributes} spellcheck="false">${text}</textarea>`;
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
