// Signing in: with e-mail and password where people have one, with a token or a sign-in link, or at the identity provider. In
// front of another service, tokens only. It does without Mantine to load fast.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError } from '#/api/api-error.ts';
import { directAddress } from '#/api/direct.ts';
import { askReset, signIn, type Credential, type DashboardSession } from '#/api/session.ts';
import { signInRefusal, type SignInWords } from '#/api/sign-in-words.ts';
import { expiryInWords, tokenExpiry } from '#/contract/token-expiry.ts';
import { paths } from '#/paths.ts';
import {
  PlainButton,
  PlainField,
  PlainLink,
  PlainNote,
  PlainPassword,
  PlainRefusal,
} from '#/ui/plain/plain-fields.tsx';
import classes from './sign-in-form.module.css';

/** The credential in what was pasted: a token, or a sign-in link, of which only the code counts. */
function credentialOf(pasted: string): Credential {
  const code = /#(?:.*&)?code=([^&\s]+)/.exec(pasted)?.[1];
  return code === undefined ? { Token: pasted } : { Code: code };
}

interface SignInFormProps {
  /** What the service offers; undefined while it is not known. */
  session: DashboardSession | undefined;
  /** Where the identity provider leads back to; undefined: to another tab, because this one has unsaved input. */
  next?: string;
  /** What went wrong before the form was there. */
  refusal?: SignInWords | undefined;
  /** A code is being exchanged. */
  isBusy?: boolean;
  /** Signed in, but a second factor has to be set up first; otherwise the event of the session says so. */
  onNeedsSetup: (password: string) => void;
  /** More buttons beside "Sign in". */
  more?: ReactNode;
}

export function SignInForm({ session, ...props }: SignInFormProps) {
  const methods = session?.Methods ?? ['token'];
  const [chosen, setWay] = useState<'password' | 'token' | 'forgotten'>();
  const way = chosen ?? (methods.includes('password') ? 'password' : 'token');
  const provider = methods.includes('oidc') && (
    <PlainLink
      href={paths.signInElsewhere(props.next ?? paths.signedInElsewhere())}
      inNewTab={props.next === undefined}
    >
      Sign in with {session?.Provider ?? 'your identity provider'}
    </PlainLink>
  );
  if (way === 'forgotten') return <ForgottenForm onBack={() => setWay('password')} />;
  if (way === 'password')
    return (
      <PasswordForm
        {...props}
        onForgotten={() => setWay('forgotten')}
        below={
          <>
            {provider}
            <PlainButton look="link" onClick={() => setWay('token')}>
              Use an API token or sign-in link
            </PlainButton>
          </>
        }
      />
    );
  return (
    <TokenForm
      {...props}
      upstream={session?.Upstream}
      below={
        <>
          {provider}
          {methods.includes('password') && (
            <PlainButton look="link" onClick={() => setWay('password')}>
              Use e-mail and password
            </PlainButton>
          )}
        </>
      }
    />
  );
}

interface Failure {
  error: unknown;
  credential: Credential;
}

/** Signs in, and keeps what went wrong until the next attempt. */
function useSignIn(onNeedsSetup: (password: string) => void) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const enter = async (credential: Credential): Promise<Failure | undefined> => {
    setBusy(true);
    try {
      const { Needs } = await signIn(credential);
      if (Needs === 'OtpSetup' && 'Password' in credential) onNeedsSetup(credential.Password);
      return undefined;
    } catch (error) {
      const failed = { error, credential };
      setBusy(false);
      setFailure(failed);
      return failed;
    }
  };
  return { busy, failure, enter, forget: () => setFailure(undefined) };
}

type WayProps = Omit<SignInFormProps, 'session'> & { below: ReactNode };

function PasswordForm({
  refusal,
  isBusy,
  onNeedsSetup,
  more,
  below,
  onForgotten,
}: WayProps & { onForgotten: () => void }) {
  const { busy, failure, enter, forget } = useSignIn(onNeedsSetup);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string>();
  const passwordInput = useRef<HTMLInputElement>(null);
  const codeInput = useRef<HTMLInputElement>(null);
  const asksCode = code !== undefined;
  const submit = async () => {
    const failed = await enter({ Email: email.trim(), Password: password, ...(asksCode && { Otp: code.trim() }) });
    if (!failed) return;
    if (!asksCode && needsCode(failed.error)) {
      forget();
      setCode('');
    } else (asksCode ? codeInput : passwordInput).current?.focus();
  };
  const isCodeWrong = asksCode && failure !== undefined && needsCode(failure.error);
  const words = isCodeWrong
    ? undefined
    : failure
      ? signInRefusal(failure.error, failure.credential, undefined)
      : refusal;
  const isReady = email.trim() !== '' && password !== '' && (!asksCode || code.trim() !== '');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !busy) void submit();
      }}
    >
      {words && <PlainRefusal {...words} />}
      {asksCode ? (
        <>
          <p className="small breakable">Signing in as {email.trim()}.</p>
          <PlainField
            key="code"
            ref={codeInput}
            label="Code of your authenticator app"
            help="No phone at hand? Use one of your recovery codes."
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            error={isCodeWrong ? 'This code is not right, or was used before. Wait for the next one.' : undefined}
          />
        </>
      ) : (
        <>
          <PlainField
            label="E-mail address"
            type="email"
            value={email}
            onChange={setEmail}
            autoComplete="username"
            autoFocus
            aria-invalid={failure !== undefined}
          />
          <PlainPassword
            ref={passwordInput}
            label="Password"
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            aria-invalid={failure !== undefined}
          />
        </>
      )}
      <div className={classes.buttons}>
        {more}
        <PlainButton look="filled" type="submit" disabled={!isReady || busy || isBusy}>
          {busy || isBusy ? 'Signing in…' : 'Sign in'}
        </PlainButton>
      </div>
      {asksCode ? (
        <PlainButton
          look="link"
          onClick={() => {
            forget();
            setCode(undefined);
          }}
        >
          Use another account
        </PlainButton>
      ) : (
        <>
          <PlainButton look="link" onClick={onForgotten}>
            Forgot your password?
          </PlainButton>
          {below}
        </>
      )}
    </form>
  );
}

const needsCode = (error: unknown) => error instanceof ApiError && error.needs === 'Otp';

function TokenForm({
  refusal,
  isBusy,
  onNeedsSetup,
  more,
  below,
  upstream,
}: WayProps & { upstream: string | undefined }) {
  const { busy, failure, enter } = useSignIn(onNeedsSetup);
  const [token, setToken] = useState('');
  const input = useRef<HTMLInputElement>(null);
  // The service behind the gateway may become known only after it has refused.
  const words = failure ? signInRefusal(failure.error, failure.credential, upstream) : refusal;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() && !busy)
          void enter(credentialOf(token.trim())).then((failed) => failed && input.current?.focus());
      }}
    >
      {words && <PlainRefusal {...words} />}
      <PlainField
        ref={input}
        label="API token"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        autoFocus
        value={token}
        onChange={setToken}
        help={<TokenHelp upstream={upstream} />}
        aria-invalid={words !== undefined}
      />
      <TokenExpiry token={token.trim()} />
      <div className={classes.buttons}>
        {more}
        <PlainButton look="filled" type="submit" disabled={!token.trim() || busy || isBusy}>
          {busy || isBusy ? 'Signing in…' : 'Sign in'}
        </PlainButton>
      </div>
      {below}
    </form>
  );
}

/** Where to get a token, and where it is stored. */
function TokenHelp({ upstream }: { upstream: string | undefined }) {
  if (upstream === undefined)
    return (
      <>
        It was printed when the service first started; <code>npm run token</code> makes another. A sign-in link works
        here, too.
      </>
    );
  return (
    <>
      From the web portal of <code>{URL.parse(upstream)?.host ?? upstream}</code>, and sent to no other service.{' '}
      {directAddress === undefined
        ? 'Your browser does not store it: the gateway keeps it encrypted until you sign out.'
        : 'Only this page has it, until you close or reload it.'}
    </>
  );
}

/** When the typed token expires, if it says so itself. */
function TokenExpiry({ token }: { token: string }) {
  const [now] = useState(Date.now);
  const expires = tokenExpiry(token);
  const expiry = expires === undefined ? undefined : expiryInWords(expires, now);
  return (
    <p role="status" className={`status ${classes.expiry}`} data-warn={expiry?.warn}>
      {expiry?.text}
    </p>
  );
}

function ForgottenForm({ onBack }: { onBack: () => void }) {
  const [email, setEmail] = useState('');
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<'sent' | 'no mail'>();
  const [words, setWords] = useState<SignInWords>();
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer) note.current?.focus();
  }, [answer]);
  const ask = async () => {
    setBusy(true);
    setWords(undefined);
    try {
      setAnswer((await askReset(email.trim())).Emailed ? 'sent' : 'no mail');
    } catch (error) {
      setWords(
        error instanceof ApiError
          ? { title: error.message, detail: error.detail }
          : { title: 'This did not work', detail: String(error) },
      );
    }
    setBusy(false);
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (email.trim() && !busy) void ask();
      }}
    >
      {answer ? (
        <PlainNote ref={note}>
          {answer === 'sent' ? (
            <>
              If <span className="breakable">{email.trim()}</span> has a password here, a link for a new one is on its
              way. It works once, for one hour.
            </>
          ) : (
            'This service sends no e-mail. Ask an Admin of your account: a page of theirs makes a link for a new password.'
          )}
        </PlainNote>
      ) : (
        <>
          {words && <PlainRefusal {...words} />}
          <PlainField
            label="E-mail address"
            type="email"
            value={email}
            onChange={setEmail}
            autoComplete="username"
            autoFocus
            help="A link for a new password is sent to it."
          />
          <PlainButton look="filled" type="submit" disabled={!email.trim() || busy}>
            Send the link
          </PlainButton>
        </>
      )}
      <PlainButton look="link" onClick={onBack}>
        Back to sign-in
      </PlainButton>
    </form>
  );
}
