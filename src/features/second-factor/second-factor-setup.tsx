// Setting up a second factor: an authenticator app scans the secret, shows that it has it, and recovery codes are shown once.
// It does without Mantine, because the sign-in page shows it, too.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError, fieldErrors, hasStatus } from '#/api/api-error.ts';
import { beginSecondFactor, confirmSecondFactor } from '#/api/second-factor.ts';
import type { OtpSetup } from '#/contract/sign-in.ts';
import { saveFile } from '#/lib/save-file.ts';
import { copyText } from '#/ui/controls/copy-text.ts';
import { QrCode } from '#/ui/controls/qr-code.tsx';
import { PlainButton, PlainField, PlainPassword, PlainRefusal } from '#/ui/plain/plain-fields.tsx';
import classes from './second-factor.module.css';

interface SecondFactorSetupProps {
  /** The person's password, where it has just been typed; otherwise it is asked for. */
  password?: string | undefined;
  onDone: () => void;
  onCancel?: () => void;
}

export function SecondFactorSetup({ password, onDone, onCancel }: SecondFactorSetupProps) {
  const [setup, setSetup] = useState<OtpSetup>();
  const [codes, setCodes] = useState<string[]>();
  const cancel = onCancel && <PlainButton onClick={onCancel}>Cancel</PlainButton>;
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (!setup) return <Begin password={password} onBegun={setSetup} cancel={cancel} />;
  return <Confirm setup={setup} onConfirmed={setCodes} onExpired={() => setSetup(undefined)} cancel={cancel} />;
}

const wordsOf = (error: unknown) =>
  error instanceof ApiError ? { title: error.message, detail: error.detail } : { title: String(error), detail: '' };

interface BeginProps {
  password: string | undefined;
  onBegun: (setup: OtpSetup) => void;
  cancel: ReactNode;
}

/** Asks for the password, unless it is known. */
function Begin({ password: known, onBegun, cancel }: BeginProps) {
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const begin = async (typed: string) => {
    setBusy(true);
    setError(undefined);
    try {
      onBegun(await beginSecondFactor(typed));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const hasBegun = useRef(false);
  useEffect(() => {
    if (known === undefined || hasBegun.current) return;
    hasBegun.current = true;
    void begin(known);
  });
  const isWrong = hasStatus(error, 403);
  if (known !== undefined)
    return error === undefined ? (
      <p className="dim">Preparing…</p>
    ) : (
      <>
        <PlainRefusal {...wordsOf(error)} />
        <PlainButton look="filled" onClick={() => void begin(known)} disabled={busy}>
          Try again
        </PlainButton>
      </>
    );
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (password && !busy) void begin(password);
      }}
    >
      {error !== undefined && !isWrong && <PlainRefusal {...wordsOf(error)} />}
      <PlainPassword
        label="Your password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        autoFocus
        error={isWrong ? 'This is not your password.' : undefined}
      />
      <div className="actions">
        {cancel}
        <PlainButton look="filled" type="submit" disabled={!password || busy}>
          Continue
        </PlainButton>
      </div>
    </form>
  );
}

interface ConfirmProps {
  setup: OtpSetup;
  onConfirmed: (codes: string[]) => void;
  onExpired: () => void;
  cancel: ReactNode;
}

/** Shows the secret, and takes a code of it as the proof that an app has it. */
function Confirm({ setup, onConfirmed, onExpired, cancel }: ConfirmProps) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const input = useRef<HTMLInputElement>(null);
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onConfirmed(await confirmSecondFactor(setup.Setup, code.trim()));
    } catch (failure) {
      setError(failure);
      setBusy(false);
      input.current?.focus();
    }
  };
  const { Otp: wrong } = fieldErrors(error, ['Otp']);
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() && !busy) void confirm();
      }}
    >
      <p>Scan this with an authenticator app on your phone.</p>
      <QrCode text={setup.Uri} className={classes.qr} />
      <details>
        <summary className="small">Type the secret instead</summary>
        <div className={classes.secret}>
          <code aria-label="Secret">{setup.Secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyText text={setup.Secret} what="secret" />
        </div>
      </details>
      {error !== undefined && wrong === undefined && (
        <>
          <PlainRefusal {...wordsOf(error)} />
          {hasStatus(error, 409) && <PlainButton onClick={onExpired}>Begin again</PlainButton>}
        </>
      )}
      <PlainField
        ref={input}
        label="Code that the app shows"
        value={code}
        onChange={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        error={wrong === undefined ? undefined : `This ${wrong}.`}
      />
      <div className="actions">
        {cancel}
        <PlainButton look="filled" type="submit" disabled={!code.trim() || busy}>
          Confirm
        </PlainButton>
      </div>
    </form>
  );
}

/** The codes that replace a lost phone. Done is disabled until they have been copied or saved. */
function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const [isTaken, setTaken] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const text = codes.join('\n');
  return (
    <div className={classes.form}>
      <h2 ref={title} tabIndex={-1}>
        Recovery codes
      </h2>
      <p className="small">
        Each signs you in once if you lose your phone. Keep them where you keep passwords: they are shown only now.
      </p>
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <div className="actions">
        <CopyText text={text} what="codes" onCopied={() => setTaken(true)} />
        <PlainButton
          onClick={() => {
            saveFile('muster-recovery-codes.txt', `${text}\n`, 'text/plain');
            setTaken(true);
          }}
        >
          Download
        </PlainButton>
        <PlainButton look="filled" disabled={!isTaken} aria-describedby="codes-reason" onClick={onDone}>
          Done
        </PlainButton>
      </div>
      <p id="codes-reason" className="small dim">
        {isTaken ? 'Copied or saved.' : 'Copy or download the codes first.'}
      </p>
    </div>
  );
}

function CopyText({ text, what, onCopied }: { text: string; what: string; onCopied?: () => void }) {
  const [message, setMessage] = useState('');
  const copy = async () => {
    const done = await copyText(text);
    setMessage(done ? 'Copied' : 'The browser blocked copying');
    if (done) onCopied?.();
  };
  return (
    <>
      <PlainButton onClick={() => void copy()}>Copy {what}</PlainButton>
      <span role="status" className="visually-hidden">
        {message}
      </span>
    </>
  );
}
