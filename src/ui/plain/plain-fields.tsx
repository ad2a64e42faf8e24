// Fields and buttons of forms without Mantine: what is shown before the sign-in has to load fast.
import { useId, useState, type ComponentProps, type ReactNode, type Ref } from 'react';
import classes from './plain.module.css';

interface PlainFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'id'> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  help?: ReactNode;
  error?: string | undefined;
  /** Beside the input. */
  children?: ReactNode;
}

export function PlainField({ label, value, onChange, help, error, children, ...input }: PlainFieldProps) {
  const id = useId();
  const described = [help ? `${id}-help` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return (
    <div className={classes.field}>
      <label htmlFor={id}>{label}</label>
      <div className={classes.input}>
        <input
          {...input}
          id={id}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          aria-describedby={described || undefined}
          aria-invalid={error !== undefined || input['aria-invalid'] === true}
        />
        {children}
      </div>
      {help && (
        <p id={`${id}-help`} className={classes.help}>
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </div>
  );
}

/** A password that can be shown. */
export function PlainPassword(props: PlainFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <PlainField {...props} type={isShown ? 'text' : 'password'} spellCheck={false} autoCapitalize="none">
      <button type="button" className={classes.show} aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        Show<span className="visually-hidden"> what is typed</span>
      </button>
    </PlainField>
  );
}

interface PlainButtonProps extends ComponentProps<'button'> {
  look?: 'filled' | 'outline' | 'link';
}

export function PlainButton({ look = 'outline', ...button }: PlainButtonProps) {
  return <button type="button" {...button} className={classes[look]} />;
}

interface PlainLinkProps {
  href: string;
  inNewTab?: boolean;
  children: ReactNode;
}

/** A link to another page that looks like a button. */
export function PlainLink({ href, inNewTab = false, children }: PlainLinkProps) {
  return (
    <a href={href} className={classes.outline} {...(inNewTab && { target: '_blank', rel: 'noopener' })}>
      {children}
    </a>
  );
}

/** What is wrong with a form as a whole. */
export function PlainRefusal({ title, detail }: { title: string; detail: string }) {
  return (
    <div role="alert" className={classes.refusal}>
      <strong>{title}</strong>
      {detail && <p>{detail}</p>}
    </div>
  );
}

/** What has happened, in the place of a form. It can be focused, because the field that had the focus is gone. */
export function PlainNote({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) {
  return (
    <div ref={ref} tabIndex={-1} className={`note ${classes.help}`}>
      {children}
    </div>
  );
}
