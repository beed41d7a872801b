"""Moto's S3 server, and a proxy in front of it that can fail like storage and networks."""

import http.client
import os
import re
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3

BUCKET = "test"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Storage:
    """The server, with one bucket."""

    def __init__(self):
        self.port = free_port()
        program = os.path.join(os.path.dirname(sys.executable), "moto_server")
        command = [program, "-H", "127.0.0.1", "-p", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.1)
        self.client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{self.port}", region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key="secret")
        self.client.create_bucket(Bucket=BUCKET)

    def environment(self, port=None):
        """Returns the environment variables for nearfind, which uses the proxy at `port` if there is one."""
        return {
            **os.environ,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port or self.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }

    def objects(self, prefix):
        """Returns the objects below `prefix` as bytes by name."""
        listed = self.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
        return {it["Key"][len(prefix):]: self.client.get_object(Bucket=BUCKET, Key=it["Key"])["Body"].read() for it in listed}

    def stop(self):
        self.process.kill()
        self.process.wait()


class Proxy:
    """Forwards requests, unless `fault` interferes. `fault` is a function of method and path that returns nothing, a
    status to answer with, or headers to leave out."""

    def __init__(self, storage):
        self.fault = lambda method, path: None
        self.requests = []
        # Whether objects are listed as if they were years old.
        self.ages = False
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                proxy.requests.append((self.command, self.path))
                fault = proxy.fault(self.command, self.path)
                if isinstance(fault, int):
                    self.send_response(fault)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                headers = {name: value for name, value in self.headers.items() if name.lower() not in (fault or ())}
                onward = http.client.HTTPConnection("127.0.0.1", storage.port)
                onward.request(self.command, self.path, body, headers)
                response = onward.getresponse()
                given = response.read()
                if proxy.ages:
                    given = re.sub(rb"<LastModified>[^<]*", b"<LastModified>2020-01-01T00:00:00.000Z", given)
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                        self.send_header(name, value)
                length = response.getheader("Content-Length") if self.command == "HEAD" else len(given)
                self.send_header("Content-Length", str(length or 0))
                self.end_headers()
                self.wfile.write(given)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
