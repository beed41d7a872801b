terraform {
  required_version = "1"
}

variable "region" {
  default = "eu"
}

resource "aws_instance" "web" {
  ami = var.region
}

locals {
  region = "eu"
}
