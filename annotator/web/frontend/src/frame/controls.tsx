/** Small controls of every pane. */

import type { ComponentChildren } from "preact";
import { run } from "../session/commands";
import type { Kind } from "../session/kind";
import type { Session } from "../session/session";
import type { HintLine } from "./view";

/** A click that leaves the focus, and so the keys, where they are. */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

/** Follows the pointer until its button is let go: `end` is called once, told whether the drag was cancelled. */
export function follow(move: (event: PointerEvent) => void, end: (cancelled: boolean) => void = () => undefined): void {
  const over = (event: PointerEvent) => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", over);
    window.removeEventListener("pointercancel", over);
    end(event.type === "pointercancel");
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", over);
  window.addEventListener("pointercancel", over);
}

/** A button with its key. */
export function KeyButton(props: {
  keys?: string | undefined;
  run: () => void;
  disabled?: boolean | undefined;
  pressed?: boolean | undefined;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class={props.class}
      disabled={props.disabled}
      aria-pressed={props.pressed}
      onMouseDown={keepFocus}
      onClick={props.run}
    >
      {props.children} {props.keys && <kbd>{props.keys}</kbd>}
    </button>
  );
}

interface FieldProps {
  label: string;
  keys?: string;
  id?: string;
  class?: string;
  value: string;
  onInput: (value: string) => void;
}

function FieldName({ label, keys }: { label: string; keys: string | undefined }) {
  return (
    <span>
      {label} {keys && <kbd>{keys}</kbd>}
    </span>
  );
}

interface TextFieldProps extends FieldProps {
  /** As many characters as the server takes. */
  longest: number;
  /** Lines of the field, where it has more than one. */
  rows?: number;
  placeholder?: string;
  /** How a screen reader calls it, where the label alone says too little. */
  spoken?: string;
  onEnter?: () => void;
}

export function TextField({ label, keys, class: name, onInput, onEnter, longest, spoken, rows, ...rest }: TextFieldProps) {
  const props = {
    ...rest,
    dir: "auto" as const,
    maxLength: longest,
    "aria-label": spoken,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (!onEnter || event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      onEnter();
    },
  };
  return (
    <label class={name}>
      <FieldName label={label} keys={keys} />
      {rows ? <textarea rows={rows} {...props} /> : <input {...props} />}
    </label>
  );
}

interface SelectFieldProps extends FieldProps {
  options: readonly string[];
  /** What stands for "", where that can be chosen. */
  none?: string;
  /** An option in words; without it, as it is. */
  textOf?: (option: string) => string;
}

export function SelectField({ label, keys, class: name, onInput, value, id, none, options, textOf }: SelectFieldProps) {
  return (
    <label class={name}>
      <FieldName label={label} keys={keys} />
      <select id={id} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        {none && <option value="">{none}</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {textOf?.(option) ?? option}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A key and what it does, as a button of the footer. */
export function Hint<K extends Kind>({ session, line }: { session: Session<K>; line: HintLine }) {
  const { keys, text, run: command, off, pressed } = line;
  const words = (
    <>
      <kbd>{keys}</kbd> {text}
    </>
  );
  if (!command) return <span class="hint" data-keys={keys}>{words}</span>;
  return (
    <button
      type="button"
      class="hint"
      data-keys={keys}
      disabled={off ?? false}
      aria-pressed={pressed}
      onMouseDown={keepFocus}
      onClick={() => run(session, command)}
    >
      {words}
    </button>
  );
}

interface ReferencesProps {
  texts: readonly string[];
  open: boolean;
  /** Whether the passage names what is chosen: it is highlighted. */
  named?: (index: number) => boolean;
}

/** The passages of the paper that refer to the figure. */
export function References({ texts, open, named }: ReferencesProps) {
  if (texts.length === 0) return null;
  return (
    <details class="references" open={open}>
      <summary>In the text ({texts.length})</summary>
      {texts.map((text, i) => (
        <p key={i} dir="auto">
          {named?.(i) ? <mark>{text}</mark> : text}
        </p>
      ))}
    </details>
  );
}
